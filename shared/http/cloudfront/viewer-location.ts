import { isFromCloudFront } from './is-from-cloud-front.ts';

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
