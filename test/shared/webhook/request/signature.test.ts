/** Independently computed test vectors; they must never change. */
import assert from 'node:assert/strict';
import { test } from 'vitest';
import { hexSignature, standardSignature } from '../../../../shared/webhook/request/signature.ts';

const made = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const text = '{"name":"Zoë </script>\u2028 🧪","n":1e+21}';
const message = `dlv_1.1772359200.${text}`;

test('hexSignature: the key is the secret as displayed', () => {
  assert.equal(
    hexSignature(made, `1772359200.${text}`),
    'sha256=5894dc60cd6c38d8d8302c2018575d43088172c3acb3b23ea5c7b7b7e5f3de09',
  );
  assert.equal(hexSignature('ein Schlüssel', text), 'sha256=e235145d2de44af40530357fa15e5fafc4c08590dffa96f8561b0e891f480156');
});

test('standardSignature: the example of the Standard Webhooks specification', () =>
  assert.equal(
    standardSignature(made, 'msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}'),
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  ));

const keys: readonly (readonly [says: string, secret: string, signature: string])[] = [
  ['base64 after whsec_ is decoded', made, '89DWJQA8fQ+iPTS4vKd1dDlyAToWFCa+IKa+VlBzwCs='],
  ['base64 without padding is decoded', 'whsec_YWJjZA', 'xyQ6QIPuQdUbhLXBLivMArKiEVfFEVw7NQm3xsjnJcw='],
  ['a custom secret is used as bytes', 'ein Schlüssel', 'XmUzzv9pN2c7xYyUaBZYvitYv6KQOM7+aXej5QN0FQo='],
  ['the prefix alone is used as bytes', 'whsec_', 'YRRlFjM+NrsZCuAO965Zmpe2yGaiW9REd8aOqyg8lDU='],
  ['invalid base64 is used as bytes', 'whsec_not base64!', 'l7PbrMjDVgEtSqQWdkVX341EwaKqzgYQr6cKZ/Zm/nI='],
  ['wrongly padded base64 is used as bytes', 'whsec_ab=', 'NBwnHo0jHovgB9qKEuSuTePLjdoMy4msofR5x5w7ZB8='],
];
for (const [says, secret, signature] of keys)
  test(`standardSignature: ${says}`, () => assert.equal(standardSignature(secret, message), `v1,${signature}`));
