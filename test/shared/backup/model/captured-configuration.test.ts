import { deepEqual, equal, ok } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { test } from 'vitest';
import { packConfiguration } from '../../../../shared/backup/model/captured-configuration.ts';
import type { Configuration } from '../../../../shared/contract/models/configuration.ts';

const noise = (bytes: number): string => randomBytes(bytes).toString('base64');
const captured = { state: 'captured', reason: null } as const;

const configuration = ({ rules, fields }: { readonly rules: string; readonly fields: string }): Configuration => ({
  capturedAt: '2026-01-01T00:00:00.000Z',
  settings: { state: 'unavailable', reason: 'There was no answer', value: null },
  indexes: { ...captured, items: [{ collectionGroup: 'users', queryScope: 'COLLECTION', fields: [] }] },
  fields: { ...captured, items: [{ collectionGroup: 'users', fieldPath: fields, indexes: null, ttl: true }] },
  rules: { ...captured, items: [{ release: 'cloud.firestore', updatedAt: null, files: [{ name: 'rules', content: rules }] }] },
});

const unpacked = (packed: Buffer) => JSON.parse(gunzipSync(packed).toString()) as Configuration;

test('a configuration that fits is kept as it is', () => {
  const whole = configuration({ rules: noise(1_000), fields: 'a' });
  deepEqual(unpacked(packConfiguration(whole)), whole);
});

test('what does not fit is left out and says so, the rules first', () => {
  const large = packConfiguration(configuration({ rules: noise(5_000), fields: 'a' }), 3_000);
  ok(large.length <= 3_000);
  const { rules, fields } = unpacked(large);
  deepEqual([rules.state, rules.items, fields.state], ['too_large', [], 'captured']);
  const larger = unpacked(packConfiguration(configuration({ rules: noise(5_000), fields: noise(5_000) }), 3_000));
  deepEqual([larger.rules.state, larger.fields.state, larger.indexes.state], ['too_large', 'too_large', 'captured']);
  equal(larger.indexes.items.length, 1);
});
