/**
 * Writes LLaMA models with random weights, to measure speed by size: the GGUF format, version 3
 * (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md), matrices in Q4_0, norms in F32. Their text means nothing.
 */
import { writeFileSync } from 'node:fs';
import { random } from './stats.mjs';

const ALIGNMENT = 32;
/** Block of Q4_0: 32 weights in a 16-bit float scale and 16 bytes. */
const [BLOCK_WEIGHTS, BLOCK_BYTES] = [32, 18];
const [F32, Q4_0] = [0, 2];
const [U32, FLOAT32, STRING, ARRAY, I32] = [4, 6, 8, 9, 5];
/** 2^-6 as a 16-bit float: weights between -1/8 and 1/8. */
const SCALE_F16 = 0x2400;

const u32 = (value) => Buffer.from(Uint32Array.of(value).buffer);
const u64 = (value) => Buffer.from(BigUint64Array.of(BigInt(value)).buffer);
const f32 = (value) => Buffer.from(Float32Array.of(value).buffer);
const string = (text) => Buffer.concat([u64(Buffer.byteLength(text)), Buffer.from(text)]);
const array = (type, items) => Buffer.concat([u32(type), u64(items.length), ...items]);

/** A byte-level vocabulary: the 256 bytes in GPT-2's printable spelling, fillers, one control token. */
function vocabulary(size) {
  const printable = (byte) => (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte !== 0xad);
  let others = 256;
  const bytes = Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(printable(byte) ? byte : others++));
  const fillers = Array.from({ length: size - 257 }, (_, index) => `filler${index}`);
  return [...bytes, ...fillers, '<|endoftext|>'];
}

function metadata(shape) {
  const tokens = vocabulary(shape.vocab);
  return [
    ['general.architecture', STRING, string('llama')],
    ['general.name', STRING, string(`random ${shape.name}`)],
    ['llama.context_length', U32, u32(2048)],
    ['llama.embedding_length', U32, u32(shape.width)],
    ['llama.block_count', U32, u32(shape.layers)],
    ['llama.feed_forward_length', U32, u32(shape.ffn)],
    ['llama.attention.head_count', U32, u32(shape.heads)],
    ['llama.attention.head_count_kv', U32, u32(shape.kvHeads)],
    ['llama.attention.layer_norm_rms_epsilon', FLOAT32, f32(1e-5)],
    ['tokenizer.ggml.model', STRING, string('gpt2')],
    ['tokenizer.ggml.pre', STRING, string('gpt-2')],
    ['tokenizer.ggml.tokens', ARRAY, array(STRING, tokens.map(string))],
    ['tokenizer.ggml.token_type', ARRAY, array(I32, tokens.map((_, i) => u32(i === tokens.length - 1 ? 3 : 1)))],
    ['tokenizer.ggml.merges', ARRAY, array(STRING, [string('a a')])],
    ['tokenizer.ggml.eos_token_id', U32, u32(tokens.length - 1)],
  ];
}

/** `[name, rows, columns]` of every tensor; a norm has one row. */
function tensors({ width, ffn, layers, heads, kvHeads, vocab }) {
  const kv = (width / heads) * kvHeads;
  const block = (layer) =>
    [
      ['attn_norm', 1, width], ['attn_q', width, width], ['attn_k', kv, width], ['attn_v', kv, width],
      ['attn_output', width, width], ['ffn_norm', 1, width], ['ffn_gate', ffn, width], ['ffn_up', ffn, width],
      ['ffn_down', width, ffn],
    ].map(([name, ...dims]) => [`blk.${layer}.${name}.weight`, ...dims]);
  const blocks = Array.from({ length: layers }, (_, layer) => block(layer)).flat();
  return [['token_embd.weight', vocab, width], ['output_norm.weight', 1, width], ...blocks];
}

function data(rows, columns, uniform) {
  if (rows === 1) return Buffer.from(new Float32Array(columns).fill(1).buffer);
  const blocks = (rows * columns) / BLOCK_WEIGHTS;
  const bytes = Buffer.alloc(blocks * BLOCK_BYTES);
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
    bytes.writeUInt16LE(SCALE_F16, at);
    for (let word = 0; word < 4; word++) bytes.writeUInt32LE(Math.floor(uniform() * 2 ** 32), at + 2 + 4 * word);
  }
  return bytes;
}

const padded = (bytes) => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

/** Writes `shape` (`{ name, width, ffn, layers, heads, kvHeads, vocab }`) to `file`; gives the number of weights. */
export function writeRandomModel(file, shape) {
  const uniform = random(shape.width);
  let offset = 0;
  const contents = [];
  const table = tensors(shape).map(([name, rows, columns]) => {
    const content = data(rows, columns, uniform);
    const dims = rows === 1 ? [columns] : [columns, rows];
    const info = Buffer.concat([
      string(name), u32(dims.length), ...dims.map(u64), u32(rows === 1 ? F32 : Q4_0), u64(offset),
    ]);
    contents.push(content, Buffer.alloc(padded(content.length) - content.length));
    offset += padded(content.length);
    return info;
  });
  const keys = metadata(shape).map(([key, type, value]) => Buffer.concat([string(key), u32(type), value]));
  const head = Buffer.concat([Buffer.from('GGUF'), u32(3), u64(table.length), u64(keys.length), ...keys, ...table]);
  const gap = Buffer.alloc(padded(head.length) - head.length);
  writeFileSync(file, Buffer.concat([head, gap, ...contents]));
  return tensors(shape).reduce((sum, [, rows, columns]) => sum + rows * columns, 0);
}
