import { defaultProvider } from '@aws-sdk/credential-provider-node';
import type { AwsKeys } from './signature.ts';

/**
 * For commands that a person runs: keys are found as every AWS tool finds them, by variables, profiles, single sign-on or the
 * machine's role. No function needs it, and none carries it.
 */
export const foundKeys = (): (() => Promise<AwsKeys>) => defaultProvider();
