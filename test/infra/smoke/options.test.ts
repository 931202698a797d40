/** Invalid or missing options are reported in one line each, without secrets. */
import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { missing, OptionsError, readOptions, secretsOf } from '../../../infra/smoke/options.ts';

const url = 'https://api.example.com';
const refusal = (words: readonly string[], env: Record<string, string>): string => {
  try {
    readOptions(words, env);
  } catch (error) {
    assert.ok(error instanceof OptionsError);
    return error.message;
  }
  return 'accepted';
};

describe('smoke options: invalid ones are rejected by name', () => {
  const wrong: Record<string, readonly [readonly string[], Record<string, string>, RegExp]> = {
    'no URL': [[], {}, /^<url>: must be one URL/],
    'two URLs': [[url, url], {}, /^<url>: /],
    'the URL of a page': [[`${url}/docs`], {}, /^<url>: .*without a path/],
    'a URL of another protocol': [['ftp://api.example.com'], {}, /^<url>: /],
    'a key without its organization': [
      [url],
      { SMOKE_TOKEN: 'fb_sa_sa_x' },
      /^SMOKE_ORGANIZATION_ID: is required with an API key/,
    ],
    'an organization name instead of an id': [[url], { SMOKE_ORGANIZATION_ID: 'Acme' }, /^SMOKE_ORGANIZATION_ID: must be the id/],
    'a webhook over http': [[url], { SMOKE_WEBHOOK_URL: 'http://example.com' }, /^SMOKE_WEBHOOK_URL: must be an https/],
    'zero minutes': [[url], { SMOKE_MINUTES: '0' }, /^SMOKE_MINUTES: must be a number from 1/],
    'minutes that are not a number': [[url], { SMOKE_MINUTES: 'long' }, /^SMOKE_MINUTES: /],
    'a destination that is neither JSON nor an id': [
      [url],
      { SMOKE_DESTINATION: 'bucket' },
      /^SMOKE_DESTINATION: must be JSON, or an id dst_…$/,
    ],
    'a destination with incomplete JSON': [
      [url],
      { SMOKE_DESTINATION: '{"secretAccessKey":"s3cr3t"' },
      /^SMOKE_DESTINATION: is not valid JSON$/,
    ],
    'a project with incomplete JSON': [[url], { SMOKE_PROJECT: '{"privateKey":"s3cr3t"' }, /^SMOKE_PROJECT: is not valid JSON$/],
  };
  for (const [name, [words, env, line]] of Object.entries(wrong)) test(name, () => assert.match(refusal(words, env), line));

  test('several mistakes give one line each', () =>
    assert.equal(refusal([], { SMOKE_MINUTES: '0', SMOKE_DESTINATION: 'x' }).split('\n').length, 3));
});

test('smoke options: missing ones are named, and a local stage needs none', () => {
  const names = (address: string) => missing(readOptions([address], {})).map((line) => line.split(':')[0]);
  assert.deepEqual(names(url), ['SMOKE_PROJECT', 'SMOKE_DESTINATION']);
  assert.deepEqual(names('http://localhost:3000/'), []);
});

test('smoke options: a project is a Google Cloud project id, a prj_ id, or a JSON body', () => {
  const project = (text: string) => readOptions([url], { SMOKE_PROJECT: text }).project;
  assert.deepEqual(project('my-project'), { body: { sourceProjectId: 'my-project' } });
  assert.deepEqual(project('prj_1'), { id: 'prj_1' });
  assert.deepEqual(project('{"sourceProjectId":"a","databaseId":"b"}'), { body: { sourceProjectId: 'a', databaseId: 'b' } });
});

test('smoke options: all credentials are known as secrets', () => {
  const options = readOptions([url], {
    SMOKE_TOKEN: 'token-of-mine',
    SMOKE_REFRESH_TOKEN: 'refresh-of-mine',
    SMOKE_PROJECT: '{"sourceProjectId":"public-name","credentials":{"clientEmail":"a@example.com","privateKey":"private-key"}}',
    SMOKE_DESTINATION: '{"bucket":"public-bucket","credentials":{"accessKeyId":"AKIATEST","secretAccessKey":"secret-key"}}',
  });
  assert.deepEqual(secretsOf(options), [
    ...['token-of-mine', 'refresh-of-mine', 'a@example.com', 'private-key', 'AKIATEST', 'secret-key'],
  ]);
});
