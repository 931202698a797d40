/**
 * Google's list prices of Firestore's reads in US dollars, by edition and location, without free quotas and discounts. Compare with
 * the `source` before relying on one: the rows were entered from copies of the published pages, and only the locations are listed
 * whose price those copies show. Any other location gets the dearest price known of its edition, so that an estimate is never too low
 * as far as we know.
 */

export const databaseEditions = ['standard', 'enterprise'] as const;
export type DatabaseEdition = (typeof databaseEditions)[number];

/** What is billed: a document, whatever its size, or 4 KiB of what was read. */
export const readUnits = ['document', 'read_unit'] as const;

export interface ReadPrice {
  readonly unit: (typeof readUnits)[number];
  readonly usdPerMillion: number;
  /** Of what a listener is sent. */
  readonly usdPerMillionChanges: number;
  /** Whether it is the price of the location, and not the dearest one known. */
  readonly isOfLocation: boolean;
}

interface EditionPrices {
  readonly unit: ReadPrice['unit'];
  readonly dearest: Price;
  readonly locations: Readonly<Record<string, Price>>;
  readonly source: string;
}
type Price = readonly [usdPerMillion: number, usdPerMillionChanges: number];

/** The multi-regions of Standard cost twice as much as us-central1; of Enterprise no other location is known. */
const prices: Readonly<Record<DatabaseEdition, EditionPrices>> = {
  standard: {
    unit: 'document',
    dearest: [0.6, 0.6],
    locations: {
      nam5: [0.6, 0.6],
      eur3: [0.6, 0.6],
      'us-central1': [0.3, 0.3],
      'us-west1': [0.3, 0.3],
      'us-west2': [0.36, 0.36],
      'me-central1': [0.36, 0.36],
    },
    source: 'https://cloud.google.com/firestore/pricing',
  },
  enterprise: {
    unit: 'read_unit',
    dearest: [0.1, 0.6],
    locations: { 'us-central1': [0.05, 0.3] },
    source: 'https://cloud.google.com/firestore/enterprise/pricing',
  },
};

/** The price of a database; of one that is not known, the dearest of the Standard edition. */
export const readPriceOf = ({
  edition = 'standard',
  locationId,
}: {
  readonly edition?: DatabaseEdition | undefined;
  readonly locationId?: string | undefined;
}): ReadPrice => {
  const { unit, dearest, locations } = prices[edition];
  const ofLocation = locationId === undefined ? undefined : locations[locationId];
  const [usdPerMillion, usdPerMillionChanges] = ofLocation ?? dearest;
  return { unit, usdPerMillion, usdPerMillionChanges, isOfLocation: ofLocation !== undefined };
};

export const readPriceSource = (edition: DatabaseEdition): string => prices[edition].source;

/** Rounded to micro-dollars. */
export const usdOf = (reads: number, usdPerMillion: number): number => Math.round(reads * usdPerMillion) / 1e6;
