import { createHash } from 'node:crypto';

/** CloudFront sends this header with a secret of the deployment. A client that calls the API directly does not know the secret. */
const proofHeader = 'x-cloudfront-secret';

/**
 * The caller's country and region from CloudFront's viewer headers, such as `DE-BE`. Any client can send these headers, so they count
 * only together with the secret whose SHA-256 digest the deployment configures; without one the location is null.
 */
export const viewerLocation = (
  headers: Readonly<Record<string, string | undefined>>,
  secretDigest: string | undefined = process.env.CLOUDFRONT_SECRET_DIGEST,
): string | null => {
  const proof = headers[proofHeader];
  if (!secretDigest || proof === undefined || createHash('sha256').update(proof).digest('hex') !== secretDigest) return null;
  const { 'cloudfront-viewer-country': country = '', 'cloudfront-viewer-country-region': region = '' } = headers;
  if (!/^[A-Z]{2}$/.test(country)) return null;
  return /^[A-Z0-9]{1,3}$/.test(region) ? `${country}-${region}` : country;
};
