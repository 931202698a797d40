import { equal } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'vitest';
import { viewerLocation } from '../../../shared/http/cloudfront.ts';

const secret = 'a secret of the distribution';
const digest = createHash('sha256').update(secret).digest('hex');
const berlin = { 'cloudfront-viewer-country': 'DE', 'cloudfront-viewer-country-region': 'BE' };
const proof = { 'x-cloudfront-secret': secret };

test('viewerLocation: behind CloudFront it is the country and the most precise place that it sends', () => {
  const region = { 'cloudfront-viewer-country-region-name': 'Bayern' };
  equal(viewerLocation({ ...berlin, ...region, 'cloudfront-viewer-city': 'M%C3%BCnchen', ...proof }, digest), 'DE, München');
  equal(viewerLocation({ ...berlin, ...region, ...proof }, digest), 'DE, Bayern');
  equal(viewerLocation({ ...berlin, ...proof }, digest), 'DE, BE');
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

for (const place of ['<script>', '%E2%80%AEnilreB', '%ff', '%0d%0aBerlin', '=1+1', '', 'B'.repeat(101)])
  test(`viewerLocation: a malformed place is dropped: ${place}`, () =>
    equal(viewerLocation({ ...proof, 'cloudfront-viewer-country': 'DE', 'cloudfront-viewer-city': place }, digest), 'DE'));
