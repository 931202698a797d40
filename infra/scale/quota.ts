/** Quotas of AWS and Google according to their documentation of 2026: account defaults, unless fixed. */
export const quota = {
  /** Concurrent functions of an account and region. */
  lambdaConcurrency: 1_000,
  lambdaSeconds: 900,
  /** The memory size that provides a whole core. */
  coreMegabytes: 1_769,
  lambdaEnvironmentBytes: 4_096,
  /** All inline policies of a role, without white space. */
  rolePolicyBytes: 10_240,
  rolesPerAccount: 1_000,
  apiRequestsPerSecond: 10_000,
  apiRoutes: 300,
  apiIntegrations: 300,
  stackResources: 500,
  stackOutputs: 200,
  templateBytes: 1_000_000,
  /** Input or output of a state as JSON. */
  stateBytes: 262_144,
  /** The cause of an error. */
  stateCauseBytes: 32_768,
  historyEvents: 25_000,
  /** Per second and account; 800 in small regions. */
  stateTransitionsPerSecond: 1_500,
  schedulerEntries: 10_000_000,
  tableTransactionItems: 100,
  /** Per second and partition key. */
  partitionWriteUnits: 1_000,
  partitionReadUnits: 3_000,
  /** Per second; 10,000 in small regions. */
  kmsRequestsPerSecond: 10_000,
  /** Per second and bucket prefix. */
  bucketPuts: 3_500,
  /** Version retention of a source without point-in-time recovery. */
  sourceKeptSeconds: 3_600,
} as const;
