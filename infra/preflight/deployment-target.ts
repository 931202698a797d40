import type { ReleasedSchema } from '../../shared/contract/schema-refusal.ts';
import type { Config } from '../config.ts';

/** Where the service would be deployed, and how. */
export interface DeploymentTarget {
  readonly config: Config;
  readonly context: Readonly<Record<string, unknown>>;
  readonly account: string;
  readonly region: string;
  /** Of the release that is deployed, if it is not that of this code. */
  readonly schema?: ReleasedSchema | undefined;
}

/** Of every client: an endpoint that does not answer ends the check, not the command. */
export const clientOptions = (region: string) => ({
  region,
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 5_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
});
