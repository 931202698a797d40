/**
 * List prices in US dollars, so that estimates need no account: without discounts, free tiers, requests and transfers. Each row
 * of storage names the page that publishes it.
 */

import type { StorageType } from './storage-types.ts';

/** Google's list prices of Firestore in the most expensive locations, so that an estimate is never too low; others cost half. */
export const usdPerRead = 0.06 / 100_000;
export const usdPerWrite = 0.18 / 100_000;
export const usdPerDelete = 0.02 / 100_000;

/** AWS in us-east-1: a request that reads an object, and what a function takes. */
export const usdPerStorageRead = 0.0004 / 1_000;
export const usdPerComputeGigabyteSecond = 0.0000166667;

/**
 * The prices of storage are those of this day as far as we know: base prices agree with published comparisons, those of other regions
 * were entered from memory. Compare with the `source` before relying on one.
 */
export const storagePricesAsOf = '2026-05-01';

interface StoragePrice {
  readonly provider: string;
  /** The class of the provider that new objects get unless the bucket says otherwise. Of regions without a row: the dearest price. */
  readonly usdPerGigabyteMonth: number;
  readonly regions?: Readonly<Record<string, number>>;
  readonly source: string;
}

const prices = {
  s3: {
    provider: 'Amazon S3 Standard',
    usdPerGigabyteMonth: 0.0405,
    regions: {
      'us-east-1': 0.023,
      'us-east-2': 0.023,
      'us-west-1': 0.026,
      'us-west-2': 0.023,
      'ca-central-1': 0.025,
      'eu-central-1': 0.0245,
      'eu-north-1': 0.023,
      'eu-south-1': 0.024,
      'eu-west-1': 0.023,
      'eu-west-2': 0.024,
      'eu-west-3': 0.024,
      'ap-northeast-1': 0.025,
      'ap-northeast-2': 0.025,
      'ap-south-1': 0.025,
      'ap-southeast-1': 0.025,
      'ap-southeast-2': 0.025,
    },
    source: 'https://aws.amazon.com/s3/pricing/',
  },
  gcs: {
    provider: 'Google Cloud Storage Standard',
    usdPerGigabyteMonth: 0.026,
    source: 'https://cloud.google.com/storage/pricing',
  },
  r2: { provider: 'Cloudflare R2', usdPerGigabyteMonth: 0.015, source: 'https://developers.cloudflare.com/r2/pricing/' },
  b2: { provider: 'Backblaze B2', usdPerGigabyteMonth: 0.006, source: 'https://www.backblaze.com/cloud-storage/pricing' },
  wasabi: { provider: 'Wasabi', usdPerGigabyteMonth: 0.00699, source: 'https://wasabi.com/pricing' },
  spaces: {
    provider: 'DigitalOcean Spaces',
    usdPerGigabyteMonth: 0.02,
    source: 'https://www.digitalocean.com/pricing/spaces-object-storage',
  },
} as const satisfies Readonly<Record<StorageType | 'r2' | 'b2' | 'wasabi', StoragePrice>>;

const hosts: readonly (readonly [domain: string, price: StoragePrice])[] = [
  ['amazonaws.com', prices.s3],
  ['r2.cloudflarestorage.com', prices.r2],
  ['backblazeb2.com', prices.b2],
  ['wasabisys.com', prices.wasabi],
  ['digitaloceanspaces.com', prices.spaces],
];

interface Store {
  readonly type: StorageType;
  readonly region: string | null;
  readonly endpoint: string | null;
}

/** The price of a store, or undefined if it has none that is known, such as a MinIO of one's own. */
export const storagePriceOf = ({ type, region, endpoint }: Store): Omit<StoragePrice, 'regions'> | undefined => {
  const price: StoragePrice | undefined = type !== 's3' || endpoint === null ? prices[type] : priceOfHost(endpoint);
  if (!price) return undefined;
  const { provider, source, regions, usdPerGigabyteMonth } = price;
  return { provider, source, usdPerGigabyteMonth: regions?.[region ?? 'us-east-1'] ?? usdPerGigabyteMonth };
};

const priceOfHost = (endpoint: string): StoragePrice | undefined => {
  const { hostname } = new URL(endpoint);
  return hosts.find(([domain]) => hostname === domain || hostname.endsWith(`.${domain}`))?.[1];
};
