import { doesNotThrow, equal, throws } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { afterEach, test } from 'vitest';
import { isFromCloudFront, refuseBypass, viewerAddress } from '../../../shared/http/cloudfront.ts';

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const [secret, next] = ['a secret of the distribution', 'the next secret'];
const proof = { 'x-cloudfront-secret': secret };

afterEach(() => {
  delete process.env.CLOUDFRONT_SECRET_DIGEST;
});

test('isFromCloudFront: needs the secret of the digest, or one of two while it changes', () => {
  equal(isFromCloudFront(proof, digestOf(secret)), true);
  equal(isFromCloudFront(proof, `${digestOf(secret)},${digestOf(next)}`), true);
  equal(isFromCloudFront({ 'x-cloudfront-secret': next }, `${digestOf(secret)},${digestOf(next)}`), true);
  for (const headers of [
    {},
    { 'x-cloudfront-secret': '' },
    { 'x-cloudfront-secret': digestOf(secret) },
    { 'x-cloudfront-secret': next },
  ])
    equal(isFromCloudFront(headers, digestOf(secret)), false);
  for (const digest of ['', undefined]) equal(isFromCloudFront({ 'x-cloudfront-secret': '' }, digest), false);
});

test('refuseBypass: refuses only where CloudFront is required', () => {
  process.env.CLOUDFRONT_SECRET_DIGEST = digestOf(secret);
  doesNotThrow(() => refuseBypass({}, false));
  doesNotThrow(() => refuseBypass(proof, true));
  throws(() => refuseBypass({}, true), { code: 'FORBIDDEN' });
  throws(() => refuseBypass({ 'x-cloudfront-secret': 'guess' }, true), { code: 'FORBIDDEN' });
});

for (const [header, address] of [
  ['198.51.100.10:46532', '198.51.100.10'],
  ['2001:db8::1:46532', '2001:db8::1'],
  ['[2001:db8::1]:46532', '2001:db8::1'],
  ['localhost:1', '203.0.113.7'],
  ['', '203.0.113.7'],
  [undefined, '203.0.113.7'],
] as const)
  test(`viewerAddress: ${header} is ${address}`, () => {
    equal(viewerAddress({ 'cloudfront-viewer-address': header }, '203.0.113.7', true), address);
    equal(viewerAddress({ 'cloudfront-viewer-address': header }, '203.0.113.7', false), '203.0.113.7');
  });
