import { isPublic } from '../http/address-guard.ts';
import { type CountryTable, findCountry, unpackCountryTable } from './country-table.ts';

let table: Promise<CountryTable> | undefined;

/** Read once, by the first lookup of a public address. After a failure the next lookup tries again. */
const openTable = async (): Promise<CountryTable> => {
  try {
    const { packedCountries } = await import('./country-library.ts');
    return unpackCountryTable(packedCountries());
  } catch (error) {
    table = undefined;
    throw error;
  }
};

/** The ISO 3166 code of an address's country, such as `DE`. Null for private, loopback, reserved and unknown addresses. */
export const countryOfAddress = async (address: string | null): Promise<string | null> => {
  const plain = address?.replace(/^::ffff:(?=\d+\.)/i, '');
  if (plain === undefined || !isPublic(plain)) return null;
  table ??= openTable();
  return findCountry(await table, plain);
};
