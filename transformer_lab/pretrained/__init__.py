"""Real models in our own parts: an encoder, a decoder, an encoder-decoder.

| load                       | model                       | type              | use         |
|----------------------------|-----------------------------|-------------------|-------------|
| `load_minilm()`            | all-MiniLM-L6-v2            | encoder (BERT)    | `embed`     |
| `load_smollm2()`           | SmolLM2-135M-Instruct       | decoder (Llama)   | `answer`    |
| `load_translator("en-pt")` | Bergamot English-Portuguese | encoder-decoder   | `translate` |
| `load_shakespeare()`       | the GPT of `book/gpt.py`    | decoder           | widgets     |

Each file here is a configuration of the blocks and a table from the weights' names to ours: no
second implementation. The weights of the GPT lie here, all others in packages that
`transformer-lab pretrained` installs; nothing is downloaded while Python runs, and nothing is
written to disk.
"""

from transformer_lab.pretrained._model import Pretrained, PretrainedTokenizer
from transformer_lab.pretrained.bergamot import SSRU, Translator, load_translator, translate
from transformer_lab.pretrained.minilm import embed, load_minilm
from transformer_lab.pretrained.shakespeare import load_shakespeare
from transformer_lab.pretrained.smollm2 import answer, instruction, load_smollm2, read_smollm2

__all__ = [
    "SSRU",
    "Pretrained",
    "PretrainedTokenizer",
    "Translator",
    "answer",
    "embed",
    "instruction",
    "load_minilm",
    "load_shakespeare",
    "load_smollm2",
    "load_translator",
    "read_smollm2",
    "translate",
]
