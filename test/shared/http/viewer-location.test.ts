import { equal } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'vitest';
import { viewerLocation } from '../../../shared/http/viewer-location.ts';

const secret = 'a secret of the distribution';
const digest = createHash('sha256').update(secret).digest('hex');
const berlin = { 'cloudfront-viewer-country': 'DE', 'cloudfront-viewer-country-region': 'BE' };
const proof = { 'x-cloudfront-secret': secret };

test('viewerLocation: behind CloudFront it is country and region', () => {
  equal(viewerLocation({ ...berlin, ...proof }, digest), 'DE-BE');
  equal(viewerLocation({ 'cloudfront-viewer-country': 'DE', ...proof }, digest), 'DE');
});

for (const [what, headers, configured] of [
  ['without the secret', berlin, digest],
  ['with another secret', { ...berlin, 'x-cloudfront-secret': 'guess' }, digest],
  ['with the digest as the secret', { ...berlin, 'x-cloudfront-secret': digest }, digest],
  ['in a deployment without CloudFront', { ...berlin, ...proof }, undefined],
  ['in a deployment whose setting is empty', { ...berlin, 'x-cloudfront-secret': '' }, ''],
  ['without a country', proof, digest],
  ['with a country that is none', { ...proof, 'cloudfront-viewer-country': '=1+1' }, digest],
] as const)
  test(`viewerLocation: ${what} it is null`, () => equal(viewerLocation(headers, configured), null));

test('viewerLocation: a malformed region is dropped', () =>
  equal(viewerLocation({ ...berlin, ...proof, 'cloudfront-viewer-country-region': '<script>' }, digest), 'DE'));
