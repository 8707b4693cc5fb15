;; What a step of training spends its time on, four float32 numbers at a time. Addresses and strides are in
;; bytes. All sizes are multiples of 8, but for rows, of which there are multiples of 4.
(module
  (import "page" "memory" (memory 1))

  ;; C (M, N) = A (M, K) · B (K, N), or C += where $more. From row to row of A are $ra bytes, from column to
  ;; column $ca: so A may be transposed. Rows of B and of C lie together. A tile of 4 × 8 sums stays in registers.
  (func (export "multiply")
    (param $a i32) (param $ra i32) (param $ca i32) (param $b i32) (param $rb i32)
    (param $c i32) (param $rc i32) (param $M i32) (param $N i32) (param $K i32) (param $more i32)
    (local $j i32) (local $k i32) (local $q i32) (local $x v128) (local $left v128) (local $right v128)
    (local $a0 i32) (local $a1 i32) (local $a2 i32) (local $a3 i32)
    (local $c0 i32) (local $c1 i32) (local $c2 i32) (local $c3 i32)
    (local $l0 v128) (local $l1 v128) (local $l2 v128) (local $l3 v128)
    (local $r0 v128) (local $r1 v128) (local $r2 v128) (local $r3 v128)
    (loop $strips
      (local.set $j (i32.const 0))
      (loop $tiles
        (local.set $a0 (local.get $a))
        (local.set $a1 (i32.add (local.get $a0) (local.get $ra)))
        (local.set $a2 (i32.add (local.get $a1) (local.get $ra)))
        (local.set $a3 (i32.add (local.get $a2) (local.get $ra)))
        (local.set $q (i32.add (local.get $b) (i32.shl (local.get $j) (i32.const 2))))
        (local.set $c0 (i32.add (local.get $c) (i32.shl (local.get $j) (i32.const 2))))
        (local.set $c1 (i32.add (local.get $c0) (local.get $rc)))
        (local.set $c2 (i32.add (local.get $c1) (local.get $rc)))
        (local.set $c3 (i32.add (local.get $c2) (local.get $rc)))
        (local.set $l0 (v128.const f32x4 0 0 0 0)) (local.set $r0 (v128.const f32x4 0 0 0 0))
        (local.set $l1 (v128.const f32x4 0 0 0 0)) (local.set $r1 (v128.const f32x4 0 0 0 0))
        (local.set $l2 (v128.const f32x4 0 0 0 0)) (local.set $r2 (v128.const f32x4 0 0 0 0))
        (local.set $l3 (v128.const f32x4 0 0 0 0)) (local.set $r3 (v128.const f32x4 0 0 0 0))
        (if (local.get $more)
          (then
            (local.set $l0 (v128.load (local.get $c0))) (local.set $r0 (v128.load offset=16 (local.get $c0)))
            (local.set $l1 (v128.load (local.get $c1))) (local.set $r1 (v128.load offset=16 (local.get $c1)))
            (local.set $l2 (v128.load (local.get $c2))) (local.set $r2 (v128.load offset=16 (local.get $c2)))
            (local.set $l3 (v128.load (local.get $c3))) (local.set $r3 (v128.load offset=16 (local.get $c3)))))
        (local.set $k (local.get $K))
        (loop $products
          (local.set $left (v128.load (local.get $q)))
          (local.set $right (v128.load offset=16 (local.get $q)))
          (local.set $x (v128.load32_splat (local.get $a0)))
          (local.set $l0 (f32x4.add (local.get $l0) (f32x4.mul (local.get $x) (local.get $left))))
          (local.set $r0 (f32x4.add (local.get $r0) (f32x4.mul (local.get $x) (local.get $right))))
          (local.set $x (v128.load32_splat (local.get $a1)))
          (local.set $l1 (f32x4.add (local.get $l1) (f32x4.mul (local.get $x) (local.get $left))))
          (local.set $r1 (f32x4.add (local.get $r1) (f32x4.mul (local.get $x) (local.get $right))))
          (local.set $x (v128.load32_splat (local.get $a2)))
          (local.set $l2 (f32x4.add (local.get $l2) (f32x4.mul (local.get $x) (local.get $left))))
          (local.set $r2 (f32x4.add (local.get $r2) (f32x4.mul (local.get $x) (local.get $right))))
          (local.set $x (v128.load32_splat (local.get $a3)))
          (local.set $l3 (f32x4.add (local.get $l3) (f32x4.mul (local.get $x) (local.get $left))))
          (local.set $r3 (f32x4.add (local.get $r3) (f32x4.mul (local.get $x) (local.get $right))))
          (local.set $a0 (i32.add (local.get $a0) (local.get $ca)))
          (local.set $a1 (i32.add (local.get $a1) (local.get $ca)))
          (local.set $a2 (i32.add (local.get $a2) (local.get $ca)))
          (local.set $a3 (i32.add (local.get $a3) (local.get $ca)))
          (local.set $q (i32.add (local.get $q) (local.get $rb)))
          (br_if $products (local.tee $k (i32.sub (local.get $k) (i32.const 1)))))
        (v128.store (local.get $c0) (local.get $l0)) (v128.store offset=16 (local.get $c0) (local.get $r0))
        (v128.store (local.get $c1) (local.get $l1)) (v128.store offset=16 (local.get $c1) (local.get $r1))
        (v128.store (local.get $c2) (local.get $l2)) (v128.store offset=16 (local.get $c2) (local.get $r2))
        (v128.store (local.get $c3) (local.get $l3)) (v128.store offset=16 (local.get $c3) (local.get $r3))
        (br_if $tiles (i32.lt_u (local.tee $j (i32.add (local.get $j) (i32.const 8))) (local.get $N))))
      (local.set $a (i32.add (local.get $a) (i32.shl (local.get $ra) (i32.const 2))))
      (local.set $c (i32.add (local.get $c) (i32.shl (local.get $rc) (i32.const 2))))
      (br_if $strips (local.tee $M (i32.sub (local.get $M) (i32.const 4))))))

  ;; Return e^x, to the last digit or two: 2^n times a polynomial (Cephes' expf). Below -87 it is 0.
  (func $exp (param $x v128) (result v128)
    (local $n v128) (local $p v128) (local $is_small v128)
    (local.set $is_small (f32x4.lt (local.get $x) (v128.const f32x4 -87 -87 -87 -87)))
    (local.set $x (f32x4.min (local.get $x) (v128.const f32x4 88 88 88 88)))
    (local.set $n (f32x4.nearest (f32x4.mul (local.get $x)
      (v128.const f32x4 1.44269504 1.44269504 1.44269504 1.44269504))))
    (local.set $x (f32x4.sub (local.get $x)
      (f32x4.mul (local.get $n) (v128.const f32x4 0.693359375 0.693359375 0.693359375 0.693359375))))
    (local.set $x (f32x4.add (local.get $x)
      (f32x4.mul (local.get $n) (v128.const f32x4 2.12194440e-4 2.12194440e-4 2.12194440e-4 2.12194440e-4))))
    (local.set $p (f32x4.mul (local.get $x) (v128.const f32x4 1.9875691e-4 1.9875691e-4 1.9875691e-4 1.9875691e-4)))
    (local.set $p (f32x4.mul (local.get $x) (f32x4.add (local.get $p)
      (v128.const f32x4 1.3981999e-3 1.3981999e-3 1.3981999e-3 1.3981999e-3))))
    (local.set $p (f32x4.mul (local.get $x) (f32x4.add (local.get $p)
      (v128.const f32x4 8.3334519e-3 8.3334519e-3 8.3334519e-3 8.3334519e-3))))
    (local.set $p (f32x4.mul (local.get $x) (f32x4.add (local.get $p)
      (v128.const f32x4 4.1665796e-2 4.1665796e-2 4.1665796e-2 4.1665796e-2))))
    (local.set $p (f32x4.mul (local.get $x) (f32x4.add (local.get $p)
      (v128.const f32x4 1.6666666e-1 1.6666666e-1 1.6666666e-1 1.6666666e-1))))
    (local.set $p (f32x4.mul (local.get $x) (f32x4.add (local.get $p) (v128.const f32x4 0.5 0.5 0.5 0.5))))
    (local.set $p (f32x4.mul (local.get $x) (f32x4.add (local.get $p) (v128.const f32x4 1 1 1 1))))
    (v128.andnot
      (f32x4.mul (f32x4.add (local.get $p) (v128.const f32x4 1 1 1 1)) (i32x4.shl
        (i32x4.add (i32x4.trunc_sat_f32x4_s (local.get $n)) (i32x4.splat (i32.const 127))) (i32.const 23)))
      (local.get $is_small)))

  (func $sum (param $v v128) (result f32)
    (f32.add
      (f32.add (f32x4.extract_lane 0 (local.get $v)) (f32x4.extract_lane 1 (local.get $v)))
      (f32.add (f32x4.extract_lane 2 (local.get $v)) (f32x4.extract_lane 3 (local.get $v)))))

  ;; Softmax of $scale · s, row by row, in its place. The first row sees $seen of its numbers, each further row
  ;; $more more; the others become 0.
  (func (export "softmax")
    (param $s i32) (param $rows i32) (param $columns i32) (param $scale f32) (param $seen i32) (param $more i32)
    (local $stop i32) (local $end i32) (local $p i32)
    (local $top v128) (local $total v128) (local $x v128)
    (loop $each
      (local.set $stop (i32.add (local.get $s) (i32.shl (local.get $columns) (i32.const 2))))
      (local.set $p (i32.add (local.get $s) (i32.shl (local.get $seen) (i32.const 2))))
      (local.set $end (i32.and (i32.add (local.get $p) (i32.const 15)) (i32.const -16)))
      (block $hidden (loop $hide
        (br_if $hidden (i32.ge_u (local.get $p) (local.get $end)))
        (f32.store (local.get $p) (f32.const -inf))
        (local.set $p (i32.add (local.get $p) (i32.const 4)))
        (br $hide)))
      (local.set $p (local.get $s))
      (local.set $top (v128.load (local.get $p)))
      (loop $tops
        (local.set $top (f32x4.max (local.get $top) (v128.load (local.get $p))))
        (br_if $tops (i32.lt_u (local.tee $p (i32.add (local.get $p) (i32.const 16))) (local.get $end))))
      (local.set $top (f32x4.splat (f32.max
        (f32.max (f32x4.extract_lane 0 (local.get $top)) (f32x4.extract_lane 1 (local.get $top)))
        (f32.max (f32x4.extract_lane 2 (local.get $top)) (f32x4.extract_lane 3 (local.get $top))))))
      (local.set $total (v128.const f32x4 0 0 0 0))
      (local.set $p (local.get $s))
      (loop $powers
        (local.set $x (call $exp (f32x4.mul (f32x4.splat (local.get $scale))
          (f32x4.sub (v128.load (local.get $p)) (local.get $top)))))
        (v128.store (local.get $p) (local.get $x))
        (local.set $total (f32x4.add (local.get $total) (local.get $x)))
        (br_if $powers (i32.lt_u (local.tee $p (i32.add (local.get $p) (i32.const 16))) (local.get $end))))
      (local.set $x (f32x4.splat (f32.div (f32.const 1) (call $sum (local.get $total)))))
      (local.set $p (local.get $s))
      (loop $shares
        (v128.store (local.get $p) (f32x4.mul (v128.load (local.get $p)) (local.get $x)))
        (br_if $shares (i32.lt_u (local.tee $p (i32.add (local.get $p) (i32.const 16))) (local.get $end))))
      (block $full (loop $zeros
        (br_if $full (i32.ge_u (local.get $p) (local.get $stop)))
        (v128.store (local.get $p) (v128.const f32x4 0 0 0 0))
        (local.set $p (i32.add (local.get $p) (i32.const 16)))
        (br $zeros)))
      (local.set $s (local.get $stop))
      (local.set $seen (i32.add (local.get $seen) (local.get $more)))
      (br_if $each (local.tee $rows (i32.sub (local.get $rows) (i32.const 1))))))

  ;; d, the gradient of the weights w, becomes that of the scores: $scale · w · (d − Σ d · w). Of each row count
  ;; so many columns; from row to row are $stride bytes.
  (func (export "softmaxBack")
    (param $w i32) (param $d i32) (param $stride i32) (param $rows i32) (param $columns i32) (param $scale f32)
    (local $at i32) (local $total v128)
    (local.set $columns (i32.shl (local.get $columns) (i32.const 2)))
    (loop $each
      (local.set $total (v128.const f32x4 0 0 0 0))
      (local.set $at (i32.const 0))
      (loop $sums
        (local.set $total (f32x4.add (local.get $total) (f32x4.mul
          (v128.load (i32.add (local.get $w) (local.get $at))) (v128.load (i32.add (local.get $d) (local.get $at))))))
        (br_if $sums (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $columns))))
      (local.set $total (f32x4.splat (call $sum (local.get $total))))
      (local.set $at (i32.const 0))
      (loop $numbers
        (v128.store (i32.add (local.get $d) (local.get $at)) (f32x4.mul (f32x4.splat (local.get $scale))
          (f32x4.mul (v128.load (i32.add (local.get $w) (local.get $at)))
            (f32x4.sub (v128.load (i32.add (local.get $d) (local.get $at))) (local.get $total)))))
        (br_if $numbers (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $columns))))
      (local.set $w (i32.add (local.get $w) (local.get $stride)))
      (local.set $d (i32.add (local.get $d) (local.get $stride)))
      (br_if $each (local.tee $rows (i32.sub (local.get $rows) (i32.const 1))))))

  ;; RMSNorm: n = x / √(mean x² + 1e-6), y = gamma · n. 1 / √ of each row is kept in $by.
  (func (export "norm")
    (param $x i32) (param $gamma i32) (param $n i32) (param $y i32) (param $by i32) (param $rows i32) (param $D i32)
    (local $at i32) (local $wide i32) (local $v v128) (local $total v128) (local $root f32)
    (local.set $wide (i32.shl (local.get $D) (i32.const 2)))
    (loop $each
      (local.set $total (v128.const f32x4 0 0 0 0))
      (local.set $at (i32.const 0))
      (loop $squares
        (local.set $v (v128.load (i32.add (local.get $x) (local.get $at))))
        (local.set $total (f32x4.add (local.get $total) (f32x4.mul (local.get $v) (local.get $v))))
        (br_if $squares (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $wide))))
      (local.set $root (f32.div (f32.const 1) (f32.sqrt (f32.add (f32.const 1e-6)
        (f32.div (call $sum (local.get $total)) (f32.convert_i32_u (local.get $D)))))))
      (f32.store (local.get $by) (local.get $root))
      (local.set $at (i32.const 0))
      (loop $numbers
        (local.set $v (f32x4.mul (f32x4.splat (local.get $root)) (v128.load (i32.add (local.get $x) (local.get $at)))))
        (v128.store (i32.add (local.get $n) (local.get $at)) (local.get $v))
        (v128.store (i32.add (local.get $y) (local.get $at))
          (f32x4.mul (local.get $v) (v128.load (i32.add (local.get $gamma) (local.get $at)))))
        (br_if $numbers (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $wide))))
      (local.set $x (i32.add (local.get $x) (local.get $wide)))
      (local.set $n (i32.add (local.get $n) (local.get $wide)))
      (local.set $y (i32.add (local.get $y) (local.get $wide)))
      (local.set $by (i32.add (local.get $by) (i32.const 4)))
      (br_if $each (local.tee $rows (i32.sub (local.get $rows) (i32.const 1))))))

  ;; dgamma += dy · n, and dx = by · (gamma · dy − n · mean(gamma · dy · n)), or dx += where $more.
  (func (export "normBack")
    (param $n i32) (param $gamma i32) (param $by i32) (param $dy i32) (param $dx i32) (param $dgamma i32)
    (param $rows i32) (param $D i32) (param $more i32)
    (local $at i32) (local $wide i32) (local $v v128) (local $total v128) (local $to i32)
    (local.set $wide (i32.shl (local.get $D) (i32.const 2)))
    (loop $each
      (local.set $total (v128.const f32x4 0 0 0 0))
      (local.set $at (i32.const 0))
      (loop $sums
        (local.set $v (f32x4.mul
          (v128.load (i32.add (local.get $dy) (local.get $at))) (v128.load (i32.add (local.get $n) (local.get $at)))))
        (local.set $to (i32.add (local.get $dgamma) (local.get $at)))
        (v128.store (local.get $to) (f32x4.add (v128.load (local.get $to)) (local.get $v)))
        (local.set $total (f32x4.add (local.get $total)
          (f32x4.mul (local.get $v) (v128.load (i32.add (local.get $gamma) (local.get $at))))))
        (br_if $sums (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $wide))))
      (local.set $total (f32x4.splat
        (f32.div (call $sum (local.get $total)) (f32.convert_i32_u (local.get $D)))))
      (local.set $at (i32.const 0))
      (loop $numbers
        (local.set $v (f32x4.mul (v128.load32_splat (local.get $by)) (f32x4.sub
          (f32x4.mul (v128.load (i32.add (local.get $dy) (local.get $at)))
            (v128.load (i32.add (local.get $gamma) (local.get $at))))
          (f32x4.mul (v128.load (i32.add (local.get $n) (local.get $at))) (local.get $total)))))
        (local.set $to (i32.add (local.get $dx) (local.get $at)))
        (if (local.get $more) (then (local.set $v (f32x4.add (local.get $v) (v128.load (local.get $to))))))
        (v128.store (local.get $to) (local.get $v))
        (br_if $numbers (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $wide))))
      (local.set $n (i32.add (local.get $n) (local.get $wide)))
      (local.set $dy (i32.add (local.get $dy) (local.get $wide)))
      (local.set $dx (i32.add (local.get $dx) (local.get $wide)))
      (local.set $by (i32.add (local.get $by) (i32.const 4)))
      (br_if $each (local.tee $rows (i32.sub (local.get $rows) (i32.const 1))))))

  ;; Turn the pairs (a, b) of each row of x by its position's angles: (a cos − b sin, b cos + a sin). The tables
  ;; have a row of K for each of T positions: cos twice, and −sin, sin. A row of x has so many heads of K.
  (func (export "rotate")
    (param $x i32) (param $stride i32) (param $rows i32) (param $heads i32) (param $K i32) (param $T i32)
    (param $cos i32) (param $sin i32)
    (local $t i32) (local $head i32) (local $at i32) (local $to i32) (local $turn i32) (local $v v128)
    (local.set $K (i32.shl (local.get $K) (i32.const 2)))
    (loop $each
      (if (i32.eq (local.get $t) (local.get $T)) (then (local.set $t (i32.const 0))))
      (local.set $turn (i32.mul (local.get $t) (local.get $K)))
      (local.set $t (i32.add (local.get $t) (i32.const 1)))
      (local.set $to (local.get $x))
      (local.set $head (local.get $heads))
      (loop $per_head
        (local.set $at (i32.const 0))
        (loop $pairs
          (local.set $v (v128.load (local.get $to)))
          (v128.store (local.get $to) (f32x4.add
            (f32x4.mul (local.get $v)
              (v128.load (i32.add (local.get $cos) (i32.add (local.get $turn) (local.get $at)))))
            (f32x4.mul (i8x16.shuffle 4 5 6 7 0 1 2 3 12 13 14 15 8 9 10 11 (local.get $v) (local.get $v))
              (v128.load (i32.add (local.get $sin) (i32.add (local.get $turn) (local.get $at)))))))
          (local.set $to (i32.add (local.get $to) (i32.const 16)))
          (br_if $pairs (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $K))))
        (br_if $per_head (local.tee $head (i32.sub (local.get $head) (i32.const 1)))))
      (local.set $x (i32.add (local.get $x) (local.get $stride)))
      (br_if $each (local.tee $rows (i32.sub (local.get $rows) (i32.const 1))))))

  (func $sigmoid (param $x v128) (result v128)
    (f32x4.div (v128.const f32x4 1 1 1 1)
      (f32x4.add (v128.const f32x4 1 1 1 1) (call $exp (f32x4.neg (local.get $x))))))

  ;; y = silu(gate) · up. A row of x is H numbers of up, then H of the gate.
  (func (export "gate") (param $x i32) (param $y i32) (param $rows i32) (param $H i32)
    (local $wide i32) (local $end i32) (local $g v128)
    (local.set $wide (i32.shl (local.get $H) (i32.const 2)))
    (loop $each
      (local.set $end (i32.add (local.get $x) (local.get $wide)))
      (loop $numbers
        (local.set $g (v128.load (i32.add (local.get $x) (local.get $wide))))
        (v128.store (local.get $y) (f32x4.mul (v128.load (local.get $x))
          (f32x4.mul (local.get $g) (call $sigmoid (local.get $g)))))
        (local.set $y (i32.add (local.get $y) (i32.const 16)))
        (br_if $numbers (i32.lt_u (local.tee $x (i32.add (local.get $x) (i32.const 16))) (local.get $end))))
      (local.set $x (i32.add (local.get $x) (local.get $wide)))
      (br_if $each (local.tee $rows (i32.sub (local.get $rows) (i32.const 1))))))

  (func (export "gateBack") (param $x i32) (param $dy i32) (param $dx i32) (param $rows i32) (param $H i32)
    (local $wide i32) (local $end i32) (local $g v128) (local $s v128) (local $d v128)
    (local.set $wide (i32.shl (local.get $H) (i32.const 2)))
    (loop $each
      (local.set $end (i32.add (local.get $x) (local.get $wide)))
      (loop $numbers
        (local.set $g (v128.load (i32.add (local.get $x) (local.get $wide))))
        (local.set $s (call $sigmoid (local.get $g)))
        (local.set $d (f32x4.mul (v128.load (local.get $dy)) (local.get $s)))
        (v128.store (local.get $dx) (f32x4.mul (local.get $d) (local.get $g)))
        (v128.store (i32.add (local.get $dx) (local.get $wide))
          (f32x4.mul (f32x4.mul (local.get $d) (v128.load (local.get $x)))
            (f32x4.add (v128.const f32x4 1 1 1 1)
              (f32x4.mul (local.get $g) (f32x4.sub (v128.const f32x4 1 1 1 1) (local.get $s))))))
        (local.set $dy (i32.add (local.get $dy) (i32.const 16)))
        (local.set $dx (i32.add (local.get $dx) (i32.const 16)))
        (br_if $numbers (i32.lt_u (local.tee $x (i32.add (local.get $x) (i32.const 16))) (local.get $end))))
      (local.set $x (i32.add (local.get $x) (local.get $wide)))
      (local.set $dx (i32.add (local.get $dx) (local.get $wide)))
      (br_if $each (local.tee $rows (i32.sub (local.get $rows) (i32.const 1)))))))
