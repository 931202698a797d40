import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { readImage } from '../../../shared/platform/index.ts';

test('an image of the stream reads as the item does', () =>
  deepEqual(
    readImage({
      pk: { S: 'ORG#x' },
      sk: { S: '' },
      n: { N: '1.5' },
      no: { BOOL: false },
      none: { NULL: true },
      bytes: { B: 'AQI=' },
      list: { L: [{ S: 'a' }, { L: [] }, { M: { deep: { N: '0' } } }] },
      texts: { SS: ['a'] },
      numbers: { NS: ['1'] },
      blobs: { BS: ['AQI='] },
    }),
    {
      pk: 'ORG#x',
      sk: '',
      n: 1.5,
      no: false,
      none: null,
      bytes: Buffer.from([1, 2]),
      list: ['a', [], { deep: 0 }],
      texts: new Set(['a']),
      numbers: new Set([1]),
      blobs: new Set([Buffer.from([1, 2])]),
    },
  ));
