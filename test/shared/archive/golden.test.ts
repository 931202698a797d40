/**
 * Bytes that must never change. Header, key, nonce, binding and frames were computed by an independent implementation of the
 * README in another language. The zstd output is given, because it may change with its version.
 */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import { Leaf, objectName, readFrames } from '../../../shared/archive/index.ts';
import { LeafWriter } from '../../../shared/archive/leaf/leaf-writer.ts';
import { FrameBinding, frameNonce, objectKey } from '../../../shared/archive/object/frame-binding.ts';
import { encodeHeader } from '../../../shared/archive/object/header.ts';
import { decodePage, encodePage } from '../../../shared/archive/page/index-page.ts';
import { gcmSeal } from '../../../shared/archive/primitives/aes-gcm.ts';
import { all } from '../../harness/builders/sample-archive.ts';

const range = (from: number, to: number): Buffer => Buffer.from(Array.from({ length: to - from }, (_, i) => from + i));
const dataKey = range(0, 32);
const header = {
  identity: { organization: 'org_golden', project: 'prj_golden', backup: 'bkp_golden' },
  name: objectName('chunk', 7, 1),
  salt: range(32, 64),
  noncePrefix: range(64, 71),
};
const binding =
  '46424b3202000a6f72675f676f6c64656e000a70726a5f676f6c64656e000a626b705f676f6c64656e00136368756e6b2f30303030303030372d30303031';
const golden = {
  header:
    '46424b3202000000f97b226f7267616e697a6174696f6e223a226f72675f676f6c64656e222c2270726f6a656374223a2270726a5f676f6c64656e222c' +
    '226261636b7570223a22626b705f676f6c64656e222c226f626a656374223a226368756e6b2f30303030303030372d30303031222c22636f6d70726573' +
    '73696f6e223a227a737464222c22636970686572223a224145532d3235362d47434d222c226b6466223a22484b44462d534841323536222c2273616c74' +
    '223a22494345694979516c4a69636f4b536f724c4330754c7a41784d6a4d304e5459334f446b364f7a7739506a38222c226e6f6e636550726566697822' +
    '3a2251454643513052465267227d',
  key: 'aa091b6c85077aa0ba77d302267ff1747605582527e6811241b48224141f556a',
  frames: [
    {
      plain: 'the first frame',
      packed: '28b52ffd200f790000746865206669727374206672616d65',
      nonce: '404142434445460000000000',
      binding: `${binding}00000000000000001c`,
      frame: '0000002c2303c2cc72286f808cad059eb3a24e6899f3e45b018ab94190a2345de78e0f26dd08e28a16ff09f1e835c2ae',
    },
    {
      plain: 'the last frame',
      packed: '28b52ffd200e710000746865206c617374206672616d65',
      nonce: '404142434445460000000101',
      binding: `${binding}00000001010000001b`,
      frame: '0000002bda76c3eeaa1e79ee8f43f00349e4dcdedff778e829457a44f4534c4c818ecb16beac472ca742632ee9a4cb',
    },
  ],
};

test('golden: header, key, nonces, bindings and sealed frames are these bytes', () => {
  equal(encodeHeader(header).toString('hex'), golden.header);
  equal(objectKey(dataKey, header).export().toString('hex'), golden.key);
  for (const [index, { plain, packed, nonce, binding: bound, frame }] of golden.frames.entries()) {
    const last = index === 1;
    const bytes = Buffer.from(packed, 'hex');
    equal(frameNonce(header.noncePrefix, index, last).toString('hex'), nonce);
    const aad = new FrameBinding(header).of(index, last, 4 + bytes.length);
    equal(aad.toString('hex'), bound);
    const length = Buffer.from([0, 0, 0, plain.length]);
    const { pieces, tag } = gcmSeal(objectKey(dataKey, header), {
      nonce: Buffer.from(nonce, 'hex'),
      binding: aad,
      pieces: [length, bytes],
    });
    equal(Buffer.concat([...pieces, tag]).toString('hex'), frame.slice(8));
  }
});

test('golden: an object of these bytes opens', async () => {
  const bytes = Buffer.from(golden.header + golden.frames.map(({ frame }) => frame).join(''), 'hex');
  const frames = await all(readFrames([bytes], { ...header, dataKey }));
  deepEqual(
    frames.map(({ plain }) => String(plain)),
    golden.frames.map(({ plain }) => plain),
  );
});

test('golden: the keys of a leaf are these bytes', () => {
  const writer = new LeafWriter(true);
  const marks = {
    nameStart: 0,
    nameEnd: 3,
    createdSeconds: 1_700_000_000,
    createdNanos: 5_000,
    updatedSeconds: 1_700_000_000,
    updatedNanos: 5_000,
  };
  writer.add(0x71, Buffer.from('a/bBODY'), marks, 3, 7);
  writer.add(0x01, Buffer.from('a/c/d/e'), { ...marks, nameEnd: 7, updatedSeconds: -1, updatedNanos: 999_999_999 }, 0, 7);
  writer.add(0x02, Buffer.from('a/d'), { ...marks, createdSeconds: 0, createdNanos: 0 }, 0, 0);
  equal(
    writer.keys().toString('hex'),
    '010000000371010200000000020200000003050100000000000000000004070000ff0065ff6553ff53f1fff100ff00000f00004200053f0500030000' +
      'e70000ff00009a6500ac53000ef100ff00000f00004200003a0500030000e700612f62632f642f6564',
  );
  equal(String(writer.bodies()), 'BODYa/c/d/e');
  const leaf = new Leaf(writer.keys(), writer.bodies());
  deepEqual(
    [String(leaf.name(1)), leaf.updated(1), leaf.created(1)],
    ['a/c/d/e', { seconds: -1, nanos: 999_999_999 }, { seconds: 1_700_000_000, nanos: 5_000 }],
  );
});

test('golden: an index page is these bytes', () => {
  const place = {
    backup: 'bkp_golden',
    object: objectName('chunk', 7, 1),
    frame: 2,
    offset: 258,
    keysLength: 100,
    bodiesLength: 200,
    records: 9,
  };
  const hashes = { keysSha256: Buffer.alloc(32, 0xaa), bodiesSha256: Buffer.alloc(32, 0xbb) };
  const segments = [
    { ...place, ...hashes, start: 0, count: 3, first: Buffer.from('a/b') },
    { ...place, ...hashes, backup: 'bkp_older', frame: 4, offset: 2 ** 40, start: 5, count: 4, first: Buffer.from('a/c/d/e') },
  ];
  const page = encodePage(segments);
  equal(
    page.toString('hex'),
    '00021e626b705f676f6c64656e206368756e6b2f30303030303030372d303030311d626b705f6f6c646572206368756e6b2f30303030303030372d30' +
      '303031000200000000000200000000010200000064000000c8000000090000000000000003aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' +
      'aaaaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb00000003612f62000100000004010000000000' +
      '00000064000000c8000000090000000500000004aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb' +
      'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb00020005632f642f65',
  );
  deepEqual(decodePage(page), segments);
});
