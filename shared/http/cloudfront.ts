/** What CloudFront says about the caller of a request, and whether CloudFront says it. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { ApiError } from '../contract/errors.ts';

/** CloudFront sends this header with a secret of the deployment. A client that calls the API directly does not know the secret. */
const proofHeader = 'x-cloudfront-secret';

/** Any client can send CloudFront's headers, so they count only together with the secret whose SHA-256 digest is configured. */
export const isFromCloudFront = (
  headers: Readonly<Record<string, string | undefined>>,
  secretDigests: string | undefined = process.env.CLOUDFRONT_SECRET_DIGEST,
): boolean => {
  const proof = headers[proofHeader];
  if (!secretDigests || proof === undefined) return false;
  const digest = createHash('sha256').update(proof).digest();
  // Two while the secret is being changed.
  return secretDigests.split(',').some((each) => timingSafeEqual(digest, Buffer.from(each, 'hex')));
};

/** A firewall of the distribution protects nothing that is also reached without it. There are no exceptions, not even for /health. */
export const refuseBypass = (
  headers: Readonly<Record<string, string | undefined>>,
  isRequired: boolean = process.env.REQUIRE_CLOUDFRONT === 'true',
): void => {
  if (isRequired && !isFromCloudFront(headers))
    throw new ApiError('FORBIDDEN', 'This address is not public: call the service at the address of its CloudFront distribution');
};

/**
 * The caller's address. Behind CloudFront the gateway sees an address of CloudFront, which many callers share; CloudFront sends the
 * caller's with its port, such as `198.51.100.10:46532` or `2001:db8::1:46532`.
 */
export const viewerAddress = (
  headers: Readonly<Record<string, string | undefined>>,
  sourceIp: string,
  isProven: boolean = isFromCloudFront(headers),
): string => {
  const address = headers['cloudfront-viewer-address']?.replace(/:\d+$/, '').replace(/^\[|\]$/g, '') ?? '';
  return isProven && /^[\da-f.:]{3,45}$/i.test(address) ? address : sourceIp;
};

/**
 * The caller's country and, if CloudFront knows it, the city or region, such as `DE, Berlin`. Any client can send these headers, so they
 * count only together with the secret whose SHA-256 digest the deployment configures; without one the location is null.
 */
export const viewerLocation = (
  headers: Readonly<Record<string, string | undefined>>,
  secretDigest: string | undefined = process.env.CLOUDFRONT_SECRET_DIGEST,
): string | null => {
  if (!isFromCloudFront(headers, secretDigest)) return null;
  const country = headers['cloudfront-viewer-country'] ?? '';
  if (!/^[A-Z]{2}$/.test(country)) return null;
  const place = placeHeaders.map((name) => readPlace(headers[name])).find((text) => text !== undefined);
  return place === undefined ? country : `${country}, ${place}`;
};

/** The most precise first. The last is a code of ISO 3166-2. */
const placeHeaders = ['cloudfront-viewer-city', 'cloudfront-viewer-country-region-name', 'cloudfront-viewer-country-region'];

/** CloudFront percent-encodes letters outside of ASCII. */
const readPlace = (value: string | undefined): string | undefined => {
  try {
    const text = decodeURIComponent(value ?? '');
    return /^[\p{L}\p{N}][\p{L}\p{M}\p{N} .,'’()/-]{0,99}$/u.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
};
