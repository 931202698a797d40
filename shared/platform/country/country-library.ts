/** The packed table. A bundle has it in a file of its own, computed while bundling, which is read with the first lookup. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type CountryRange, packCountryTable, readCountryRanges } from './pack-country-table.ts';

export const packedCountries = (): Buffer => packCountryTable(rangesOf('ipv4'), rangesOf('ipv6'));

const rangesOf = (family: string): CountryRange[] => {
  const file = import.meta.resolve(`@ip-location-db/geo-whois-asn-country/geo-whois-asn-country-${family}-num.csv`);
  return readCountryRanges(readFileSync(fileURLToPath(file), 'utf8'));
};
