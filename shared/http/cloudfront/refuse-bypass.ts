import { ApiError } from '../../contract/errors.ts';
import { isFromCloudFront } from './is-from-cloud-front.ts';

/** A firewall of the distribution protects nothing that is also reached without it. There are no exceptions, not even for /health. */
export const refuseBypass = (
  headers: Readonly<Record<string, string | undefined>>,
  isRequired: boolean = process.env.REQUIRE_CLOUDFRONT === 'true',
): void => {
  if (isRequired && !isFromCloudFront(headers))
    throw new ApiError('FORBIDDEN', 'This address is not public: call the service at the address of its CloudFront distribution');
};
