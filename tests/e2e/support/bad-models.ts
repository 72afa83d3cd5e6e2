/** Files that are no models, or none that can be run, each made from the good one, and what is to be said of them. */
import { readFileSync } from 'node:fs';
import { layoutOf, spoiled, u32Bytes, u64Bytes, withZeroTensors } from './gguf.js';
import { MODEL, repository } from './sites.js';

/** The model of the repository. */
export const file = readFileSync(`${repository}models/${MODEL}`);
export const layout = layoutOf(file);

const key = (name: string) => {
  const found = layout.keys.get(name);
  if (!found) throw new Error(`the model has no key ${name}`);
  return found;
};
const tensor = (name: string) => {
  const found = layout.tensors.find((row) => row.name === name);
  if (!found) throw new Error(`the model has no tensor ${name}`);
  return found;
};
const withKey = (name: string, value: Buffer): Buffer => spoiled(file, [key(name).valueAt, value]);
/** Renames a key in place, so that it is missing. */
const without = (name: string): Buffer => spoiled(file, [key(name).keyAt, Buffer.from('X')]);

const embedding = tensor('token_embd.weight');
const query = tensor('blk.0.attn_q.weight');
const keys = tensor('blk.0.attn_k.weight');

/** One layer, of a few megabytes, whose keys and values of 2,048 positions alone would take 4 GiB. */
function widerThanMemory(): Buffer {
  const width = 2 ** 18;
  const set = (name: string, value: number) => [key(name).valueAt, u32Bytes(value)] as const;
  const metadata = spoiled(
    file,
    set('llama.block_count', 1),
    set('llama.context_length', 2048),
    set('llama.embedding_length', 2),
    set('llama.feed_forward_length', 2),
    set('llama.attention.head_count', 1),
    set('llama.attention.head_count_kv', 1),
  );
  return withZeroTensors(
    metadata,
    { 'llama.attention.key_length': width },
    {
      'token_embd.weight': [2, 8192],
      'output_norm.weight': [2],
      'blk.0.attn_norm.weight': [2],
      'blk.0.attn_q.weight': [2, width],
      'blk.0.attn_k.weight': [2, width],
      'blk.0.attn_v.weight': [2, width],
      'blk.0.attn_output.weight': [width, 2],
      'blk.0.ffn_norm.weight': [2],
      'blk.0.ffn_gate.weight': [2, 2],
      'blk.0.ffn_up.weight': [2, 2],
      'blk.0.ffn_down.weight': [2, 2],
    },
  );
}

/** One file for each thing that can be wrong, with the error it must give. */
export const BAD_MODELS: readonly [
  name: string,
  bad: Buffer,
  code: string,
  expected: string | RegExp,
  found: string | RegExp,
][] = [
  ['an empty file', Buffer.alloc(0), 'gguf-magic', 'the bytes GGUF', 'an empty file'],
  [
    'a text file',
    Buffer.from('just some notes\n'.repeat(9)),
    'gguf-magic',
    'the bytes GGUF',
    /6a, 75, 73, 74/,
  ],
  [
    'a wrong magic',
    spoiled(file, [0, Buffer.from('GGML')]),
    'gguf-magic',
    'the bytes GGUF',
    /47, 47, 4d, 4c/,
  ],
  ['a wrong version', spoiled(file, [4, u32Bytes(99)]), 'gguf-version', 'version 2 or 3', 'version 99'],
  [
    'a file of the other byte order',
    spoiled(file, [4, Buffer.from([0, 0, 0, 3])]),
    'gguf-version',
    'version 2 or 3',
    'version 50331648',
  ],
  [
    'an absurd tensor count',
    spoiled(file, [8, u64Bytes(2n ** 60n)]),
    'gguf-limit',
    /^at most \d+$/,
    String(2n ** 60n),
  ],
  [
    'an absurd metadata count',
    spoiled(file, [16, u64Bytes(2n ** 63n)]),
    'gguf-limit',
    /^at most \d+$/,
    String(2n ** 63n),
  ],
  [
    'an absurd key length',
    spoiled(file, [24, u64Bytes(2n ** 40n)]),
    'gguf-limit',
    /^at most \d+$/,
    String(2n ** 40n),
  ],
  [
    'an array longer than the file',
    withKey('tokenizer.ggml.scores', Buffer.concat([u32Bytes(6), u64Bytes(2_000_000n)])),
    'gguf-truncated',
    '8000000 bytes',
    /^\d+ bytes$/,
  ],
  [
    'an unknown value type',
    spoiled(file, [key('general.name').typeAt, u32Bytes(77)]),
    'gguf-metadata',
    /./,
    /77/,
  ],
  ['no architecture', without('general.architecture'), 'gguf-metadata', /./, /./],
  [
    'another architecture',
    spoiled(file, [key('general.architecture').valueAt + 8, Buffer.from('lxama')]),
    'model-architecture',
    'llama',
    'lxama',
  ],
  ['no width', without('llama.embedding_length'), 'gguf-metadata', /./, /./],
  ['no tokens', without('tokenizer.ggml.tokens'), 'gguf-metadata', /./, /./],
  [
    'another tokenizer',
    spoiled(file, [key('tokenizer.ggml.model').valueAt + 8, Buffer.from('rwkvx')]),
    'tokenizer-unsupported',
    /gpt2/,
    /rwkvx/,
  ],
  [
    'heads that do not divide',
    withKey('llama.attention.head_count_kv', u32Bytes(4)),
    'model-shape',
    'a divisor of 6 query heads',
    '4',
  ],
  [
    'another width than its tensors',
    withKey('llama.embedding_length', u32Bytes(384)),
    'model-shape',
    /./,
    /./,
  ],
  [
    'a tensor type without kernels',
    spoiled(file, [query.typeAt, u32Bytes(12)]),
    'gguf-unsupported-type',
    /Q4_0/,
    'type 12',
  ],
  [
    'a matrix of another shape',
    spoiled(file, [keys.dimsAt + 8, u64Bytes(32n)]),
    'model-shape',
    '[192, 64]',
    '[192, 32]',
  ],
  [
    'a tensor beyond the end',
    spoiled(file, [keys.offsetAt, u64Bytes(2n ** 40n)]),
    'gguf-truncated',
    '6912 bytes',
    '0 bytes',
  ],
  [
    'two tensors in one place',
    spoiled(file, [query.offsetAt, u64Bytes(0n)]),
    'gguf-tensor',
    /^a start at byte \d+ or later$/,
    /inside tensor/,
  ],
  [
    'a tensor larger than any',
    spoiled(file, [embedding.dimsAt, u64Bytes(2n ** 62n)]),
    'gguf-tensor',
    /2\^48/,
    /4611686018427387904/,
  ],
  [
    'a model that does not fit into memory',
    widerThanMemory(),
    'model-memory',
    `at most ${3 * 2 ** 30} bytes`,
    /^\d{10} bytes$/,
  ],
];
