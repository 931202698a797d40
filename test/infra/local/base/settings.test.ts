import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'vitest';
import { readSettings, StartError } from '../../../../infra/local/base/settings.ts';

describe('settings', () => {
  test('have defaults; an empty variable counts as unset', () => {
    const defaults = {
      host: undefined,
      port: 3000,
      identityPort: 3001,
      s3Port: 4566,
      gcsPort: undefined,
      firestorePort: 8080,
      allowedHosts: [],
      dir: resolve('.local'),
      demo: true,
      delayScale: 1,
    };
    assert.deepEqual(readSettings({}), defaults);
    assert.deepEqual(readSettings({ PORT: '', LOCAL_DIR: '', DEMO: ' ', DELAY_SCALE: '', FIRESTORE_INDEXES: '' }), defaults);
  });
  test('include the text of a file of Firestore indexes', () => {
    const file = fileURLToPath(new URL('../../../../package.json', import.meta.url));
    assert.equal(readSettings({ FIRESTORE_INDEXES: file }).firestoreIndexes, readFileSync(file, 'utf8'));
    assert.throws(
      () => readSettings({ FIRESTORE_INDEXES: '/none' }),
      new StartError('FIRESTORE_INDEXES="/none": must be a readable file'),
    );
  });
  test('are read from the environment', () => {
    const env = {
      LISTEN_HOST: '0.0.0.0',
      PORT: '80',
      IDP_PORT: '0',
      S3_PORT: '65535',
      GCS_PORT: '82',
      FIRESTORE_PORT: '81',
      WEBHOOK_ALLOWED_HOSTS: 'localhost:9000, [::1]:9001,,hooks.test',
      LOCAL_DIR: '/tmp/x',
      DEMO: '0',
      DELAY_SCALE: '60',
    };
    assert.deepEqual(readSettings(env), {
      host: '0.0.0.0',
      port: 80,
      identityPort: 0,
      s3Port: 65535,
      gcsPort: 82,
      firestorePort: 81,
      allowedHosts: ['localhost:9000', '[::1]:9001', 'hooks.test'],
      dir: '/tmp/x',
      demo: false,
      delayScale: 60,
    });
  });
  const mistakes: readonly (readonly [string, string])[] = [
    ['LISTEN_HOST', 'example.com'],
    ['PORT', 'eighty'],
    ['PORT', '-1'],
    ['PORT', '65536'],
    ['PORT', '3000.5'],
    ['PORT', '0x50'],
    ['IDP_PORT', '1e3'],
    ['S3_PORT', '99999999999999999999'],
    ['GCS_PORT', 'x'],
    ['WEBHOOK_ALLOWED_HOSTS', 'https://localhost:9000'],
    ['WEBHOOK_ALLOWED_HOSTS', 'localhost:9000;localhost:9001'],
    ['DEMO', 'maybe'],
    ['DELAY_SCALE', '0'],
    ['DELAY_SCALE', '-2'],
    ['DELAY_SCALE', 'fast'],
    ['DELAY_SCALE', 'Infinity'],
  ];
  for (const [name, value] of mistakes) {
    test(`${name}=${value} is rejected in one line that names the variable`, () =>
      assert.throws(
        () => readSettings({ [name]: value }),
        (error: Error) => error instanceof StartError && error.message.startsWith(`${name}=`) && !error.message.includes('\n'),
      ));
  }
  test('reject the same port for two servers', () =>
    assert.throws(() => readSettings({ PORT: '3001' }), /PORT and IDP_PORT are both 3001/));
});
