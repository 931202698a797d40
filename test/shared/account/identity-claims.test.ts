import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import { test } from 'vitest';
import { readProfile } from '../../../shared/account/identity-claims.ts';
import { ApiError } from '../../../shared/contract/errors.ts';

const ada = { email: 'Ada@Example.com', email_verified: true, name: 'Ada', picture: 'https://example.com/a.png' };

test('readProfile: the e-mail address is kept as the provider spells it', () => {
  deepEqual(readProfile(ada), {
    email: 'Ada@Example.com',
    emailVerified: true,
    name: 'Ada',
    picture: 'https://example.com/a.png',
  });
});

for (const verified of [undefined, false, 'false', 'yes', 1, null]) {
  test(`readProfile: email_verified ${JSON.stringify(verified)} is not verified`, () =>
    equal(readProfile({ ...ada, email_verified: verified }).emailVerified, false));
}
test("readProfile: email_verified 'true' is verified, because some providers send a string", () =>
  equal(readProfile({ ...ada, email_verified: 'true' }).emailVerified, true));

for (const email of [
  undefined,
  null,
  7,
  '',
  'ada',
  '@',
  'a@',
  'a b@example.com',
  'a@x\u0000',
  'a@b@c',
  `${'a'.repeat(250)}@b.io`,
  'mi\u212ae@example.com',
  '\uff41da@example.com',
]) {
  test(`readProfile: the e-mail address ${JSON.stringify(email)?.slice(0, 30)} is refused`, () =>
    throws(
      () => readProfile({ ...ada, email }),
      (error) => error instanceof ApiError && error.code === 'UNAUTHORIZED',
    ));
}

test('readProfile: names are printable, well-formed and truncated', () => {
  equal(readProfile({ ...ada, name: ' A\u0000\r\nB\u2028 ' }).name, 'A B');
  equal(readProfile({ ...ada, name: '\u202eada\u200b' }).name, 'ada');
  const long = readProfile({ ...ada, name: `${'x'.repeat(99)}😀` }).name;
  ok(long.isWellFormed() && long.length <= 100);
});

for (const name of [undefined, '', ' \n ', 5]) {
  test(`readProfile: the name ${JSON.stringify(name)} is replaced by the e-mail address`, () =>
    equal(readProfile({ ...ada, name }).name, ada.email));
}

for (const picture of [
  undefined,
  '',
  'javascript:alert(1)',
  'data:image/png;base64,AA',
  'x',
  5,
  `https://e.com/${'a'.repeat(3_000)}`,
]) {
  test(`readProfile: the picture ${JSON.stringify(picture)?.slice(0, 30)} is dropped`, () =>
    equal(readProfile({ ...ada, picture }).picture, null));
}
