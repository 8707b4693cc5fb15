;; y = x · Wᵀ + b, where W is in 8 bits and all else is float32; four numbers at a time.
;;
;; Four rows of W at a time are written out as the numbers that they stand for, side by side: of each
;; row four numbers, then the next four of each. This room stays in the processor's nearest cache while
;; every row of x passes by it, so that a weight is converted once and not once for each row of x.
(module
  (import "page" "memory" (memory 1))

  ;; Write out a row of W: whole numbers, of which each `size` that lie together share a scale.
  (func $widen (param $w i32) (param $K i32) (param $scales i32) (param $size i32) (param $wide i32)
    (local $end i32) (local $group i32) (local $scale v128) (local $eight v128)
    (local.set $end (i32.add (local.get $w) (local.get $K)))
    (loop $groups
      (local.set $scale (v128.load32_splat (local.get $scales)))
      (local.set $scales (i32.add (local.get $scales) (i32.const 4)))
      (local.set $group (i32.add (local.get $w) (local.get $size)))
      (loop $numbers
        (local.set $eight (v128.load8x8_s (local.get $w)))
        (v128.store (local.get $wide)
          (f32x4.mul (local.get $scale) (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $eight)))))
        (v128.store offset=64 (local.get $wide)
          (f32x4.mul (local.get $scale) (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $eight)))))
        (local.set $wide (i32.add (local.get $wide) (i32.const 128)))
        (local.set $w (i32.add (local.get $w) (i32.const 8)))
        (br_if $numbers (i32.lt_u (local.get $w) (local.get $group))))
      (br_if $groups (i32.lt_u (local.get $w) (local.get $end)))))

  ;; Multiply a row of x by the four rows that are written out: give four sums.
  (func $products (param $x i32) (param $K i32) (param $wide i32) (result v128)
    (local $end i32) (local $four v128)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128) ;; of each row four sums, still apart
    (local.set $end (i32.add (local.get $x) (i32.shl (local.get $K) (i32.const 2))))
    (loop $numbers
      (local.set $four (v128.load (local.get $x)))
      (local.set $a (f32x4.add (local.get $a) (f32x4.mul (local.get $four) (v128.load (local.get $wide)))))
      (local.set $b (f32x4.add (local.get $b) (f32x4.mul (local.get $four) (v128.load offset=16 (local.get $wide)))))
      (local.set $c (f32x4.add (local.get $c) (f32x4.mul (local.get $four) (v128.load offset=32 (local.get $wide)))))
      (local.set $d (f32x4.add (local.get $d) (f32x4.mul (local.get $four) (v128.load offset=48 (local.get $wide)))))
      (local.set $wide (i32.add (local.get $wide) (i32.const 64)))
      (local.set $x (i32.add (local.get $x) (i32.const 16)))
      (br_if $numbers (i32.lt_u (local.get $x) (local.get $end))))
    ;; a0 b0 a1 b1 + a2 b2 a3 b3, and so with c and d; then the halves of both
    (local.set $a (f32x4.add
      (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $a) (local.get $b))
      (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $a) (local.get $b))))
    (local.set $c (f32x4.add
      (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $c) (local.get $d))
      (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $c) (local.get $d))))
    (f32x4.add
      (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $a) (local.get $c))
      (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $a) (local.get $c))))

  ;; x is of shape (T, K), W of (N, K), its scales of (N, K / size), y of (T, N). Where b is 0, there is none.
  (func (export "linear")
    (param $x i32) (param $T i32) (param $w i32) (param $N i32) (param $K i32)
    (param $scales i32) (param $size i32) (param $b i32) (param $wide i32) (param $y i32)
    (local $n i32) (local $row i32) (local $t i32) (local $groups i32) (local $added v128)
    (local.set $groups (i32.div_u (local.get $K) (local.get $size)))
    (loop $rows
      ;; where no four rows are left, some are done again
      (if (i32.gt_u (local.get $n) (i32.sub (local.get $N) (i32.const 4)))
        (then (local.set $n (i32.sub (local.get $N) (i32.const 4)))))
      (local.set $row (i32.const 0))
      (loop $four
        (call $widen
          (i32.add (local.get $w) (i32.mul (local.get $K) (i32.add (local.get $n) (local.get $row))))
          (local.get $K)
          (i32.add (local.get $scales)
            (i32.shl (i32.mul (local.get $groups) (i32.add (local.get $n) (local.get $row))) (i32.const 2)))
          (local.get $size)
          (i32.add (local.get $wide) (i32.shl (local.get $row) (i32.const 4))))
        (local.set $row (i32.add (local.get $row) (i32.const 1)))
        (br_if $four (i32.lt_u (local.get $row) (i32.const 4))))
      (local.set $added (v128.const f32x4 0 0 0 0))
      (if (local.get $b)
        (then (local.set $added
          (v128.load (i32.add (local.get $b) (i32.shl (local.get $n) (i32.const 2)))))))
      (local.set $t (i32.const 0))
      (loop $each
        (v128.store
          (i32.add (local.get $y)
            (i32.shl (i32.add (local.get $n) (i32.mul (local.get $t) (local.get $N))) (i32.const 2)))
          (f32x4.add (local.get $added)
            (call $products
              (i32.add (local.get $x) (i32.shl (i32.mul (local.get $t) (local.get $K)) (i32.const 2)))
              (local.get $K)
              (local.get $wide))))
        (local.set $t (i32.add (local.get $t) (i32.const 1)))
        (br_if $each (i32.lt_u (local.get $t) (local.get $T))))
      (local.set $n (i32.add (local.get $n) (i32.const 4)))
      (br_if $rows (i32.lt_u (local.get $n) (local.get $N))))))
