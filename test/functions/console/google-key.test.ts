/** The key file of a service account, as people paste it. */
import { deepEqual, match, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { googleCredentials, readGoogleKey } from '../../../functions/console/app/forms/google-key/google-key.ts';
import { GoogleCredentials } from '../../../shared/contract/fields.ts';

const privateKey = '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQEF\n-----END PRIVATE KEY-----\n';
const clientEmail = 'backups@shop-1234.iam.gserviceaccount.com';
const file = { type: 'service_account', project_id: 'shop-1234', private_key: privateKey, client_email: clientEmail };
const expected = { clientEmail, privateKey, projectId: 'shop-1234' };

/** Throws if the text is accepted. */
const problemOf = (text: string): string => {
  const read = readGoogleKey(text);
  ok('problem' in read, 'the text was accepted');
  return read.problem;
};

test('google key: the file as Google downloads it is read', () => {
  deepEqual(readGoogleKey(JSON.stringify(file, undefined, 2)), expected);
  deepEqual(readGoogleKey(`\uFEFF${JSON.stringify(file)}\r\n`), expected);
  const { project_id: _, ...withoutProject } = file;
  deepEqual(readGoogleKey(JSON.stringify(withoutProject)), { ...expected, projectId: undefined });
});

test('google key: line breaks that copying made within the key are forgiven', () => {
  for (const lineBreak of ['\n', '\r\n'])
    deepEqual(readGoogleKey(JSON.stringify(file, undefined, 2).replaceAll('\\n', lineBreak)), expected);
  // As an environment variable has it.
  deepEqual(readGoogleKey(JSON.stringify({ ...file, private_key: privateKey.replaceAll('\n', '\\n') })), expected);
});

test('google key: what is read is what the API takes', () => {
  const read = readGoogleKey(JSON.stringify(file));
  ok(!('problem' in read));
  deepEqual(GoogleCredentials.parse(googleCredentials(read)), { clientEmail, privateKey });
});

test('google key: a text that is no JSON object is refused', () => {
  for (const text of ['', 'not a key', '{', privateKey, 'null', '1', '"text"', '[]', `[${JSON.stringify(file)}]`])
    match(problemOf(text), /^This is not the JSON file of a key/, text);
});

test('google key: other kinds of credentials are refused', () => {
  for (const type of ['authorized_user', 'external_account', 1, null])
    match(problemOf(JSON.stringify({ ...file, type })), /another kind of credentials/);
});

test('google key: a missing or incomplete part is named', () => {
  for (const value of [undefined, '', ' ', 1, null, {}]) {
    match(problemOf(JSON.stringify({ ...file, private_key: value })), /^The file has no private_key/);
    match(problemOf(JSON.stringify({ ...file, client_email: value })), /^The file has no client_email/);
  }
  for (const key of ['secret', privateKey.slice(0, 50), privateKey.slice(10), privateKey.replaceAll('PRIVATE', 'PUBLIC')])
    match(problemOf(JSON.stringify({ ...file, private_key: key })), /^The private_key of the file is not complete/);
});

test('google key: no problem repeats the text', () => {
  for (const text of ['hunter2', JSON.stringify({ ...file, private_key: 'hunter2' }), JSON.stringify({ type: 'hunter2' })])
    ok(!problemOf(text).includes('hunter2'));
});
