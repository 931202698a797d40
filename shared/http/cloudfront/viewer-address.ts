import { isFromCloudFront } from './is-from-cloud-front.ts';

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
