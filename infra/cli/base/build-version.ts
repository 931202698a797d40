import { version } from '../../../shared/contract/version.ts';

/** Set in the single file that a deployment serves: a digest of the file. */
declare const buildDigest: string | undefined;

/** The version of the service that the command belongs to, and of a single file which build it is. */
export const buildVersion = typeof buildDigest === 'string' ? `${version} (${buildDigest})` : version;
