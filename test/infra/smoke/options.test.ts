/** What a walk is asked for wrongly, or without, is told in a line each that repeats no secret. */
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

describe('refused by name', () => {
  const wrong: Record<string, readonly [readonly string[], Record<string, string>, RegExp]> = {
    'no address': [[], {}, /^<url>: must be one URL/],
    'two addresses': [[url, url], {}, /^<url>: /],
    'the address of a page': [[`${url}/docs`], {}, /^<url>: .*without a path/],
    'an address of another kind': [['ftp://api.example.com'], {}, /^<url>: /],
    'a key without its organization': [
      [url],
      { SMOKE_TOKEN: 'fb_sa_sa_x' },
      /^SMOKE_ORGANIZATION_ID: is required with an API key/,
    ],
    'an organization by its name': [[url], { SMOKE_ORGANIZATION_ID: 'Acme' }, /^SMOKE_ORGANIZATION_ID: must be the id/],
    'a webhook over http': [[url], { SMOKE_WEBHOOK_URL: 'http://example.com' }, /^SMOKE_WEBHOOK_URL: must be an https/],
    'no time at all': [[url], { SMOKE_MINUTES: '0' }, /^SMOKE_MINUTES: must be a number from 1/],
    'a time that is no number': [[url], { SMOKE_MINUTES: 'long' }, /^SMOKE_MINUTES: /],
    'a destination that is a word': [[url], { SMOKE_DESTINATION: 'bucket' }, /^SMOKE_DESTINATION: must be JSON, or an id dst_…$/],
    'a destination that is half JSON': [
      [url],
      { SMOKE_DESTINATION: '{"secretAccessKey":"s3cr3t"' },
      /^SMOKE_DESTINATION: is not valid JSON$/,
    ],
    'a project that is half JSON': [[url], { SMOKE_PROJECT: '{"privateKey":"s3cr3t"' }, /^SMOKE_PROJECT: is not valid JSON$/],
  };
  for (const [name, [words, env, line]] of Object.entries(wrong)) test(name, () => assert.match(refusal(words, env), line));

  test('all of them at once, a line each', () =>
    assert.equal(refusal([], { SMOKE_MINUTES: '0', SMOKE_DESTINATION: 'x' }).split('\n').length, 3));
});

test('what is missing is named, and nothing is for a stage on this machine', () => {
  const names = (address: string) => missing(readOptions([address], {})).map((line) => line.split(':')[0]);
  assert.deepEqual(names(url), ['SMOKE_PROJECT', 'SMOKE_DESTINATION']);
  assert.deepEqual(names('http://localhost:3000/'), []);
});

test('a project is named by its id at Google, by ours, or as the API takes it', () => {
  const project = (text: string) => readOptions([url], { SMOKE_PROJECT: text }).project;
  assert.deepEqual(project('my-project'), { body: { sourceProjectId: 'my-project' } });
  assert.deepEqual(project('prj_1'), { id: 'prj_1' });
  assert.deepEqual(project('{"sourceProjectId":"a","databaseId":"b"}'), { body: { sourceProjectId: 'a', databaseId: 'b' } });
});

test('whatever lets somebody in is known as a secret', () => {
  const wish = readOptions([url], {
    SMOKE_TOKEN: 'token-of-mine',
    SMOKE_REFRESH_TOKEN: 'refresh-of-mine',
    SMOKE_PROJECT: '{"sourceProjectId":"public-name","credentials":{"clientEmail":"a@example.com","privateKey":"private-key"}}',
    SMOKE_DESTINATION: '{"bucket":"public-bucket","credentials":{"accessKeyId":"AKIATEST","secretAccessKey":"secret-key"}}',
  });
  assert.deepEqual(secretsOf(wish), [
    ...['token-of-mine', 'refresh-of-mine', 'a@example.com', 'private-key', 'AKIATEST', 'secret-key'],
  ]);
});
