import { createHash, timingSafeEqual } from 'node:crypto';

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
