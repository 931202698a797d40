/** Regions apart from all others have names of their own; the first that fits counts. */
const partitions = [
  ['cn-', 'amazonaws.com.cn'],
  ['eusc-', 'amazonaws.eu'],
  ['us-isob-', 'sc2s.sgov.gov'],
  ['us-isof-', 'csp.hci.ic.gov'],
  ['eu-isoe-', 'cloud.adc-e.uk'],
  ['us-iso-', 'c2s.ic.gov'],
] as const;

export const awsHost = (host: string, region: string): string =>
  `${host}.${region}.${partitions.find(([prefix]) => region.startsWith(prefix))?.[1] ?? 'amazonaws.com'}`;
