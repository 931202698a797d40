/** AWS prices in dollars: us-east-1, arm64, as of 2025. The benchmarks use the same prices. */
export const price = {
  gigabyteSecond: 0.000_013_333_4,
  invocation: 0.000_000_2,
  transition: 0.000_025,
  writeUnit: 0.000_000_625,
  readUnit: 0.000_000_125,
  put: 0.000_005,
  get: 0.000_000_4,
  kms: 0.000_003,
  message: 0.000_000_4,
  keyMonth: 1,
  secretMonth: 0.4,
  alarmMonth: 0.1,
  dashboardMonth: 3,
  /** A custom or detailed metric. */
  metricMonth: 0.3,
} as const;
