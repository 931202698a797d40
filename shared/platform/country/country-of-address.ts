import { isPublic } from '../http/address-guard.ts';
import { warmPromise } from '../warm.ts';
import { type CountryTable, findCountry, unpackCountryTable } from './country-table.ts';

/** Read by the first lookup of a public address. */
const openTable = warmPromise(async (): Promise<CountryTable> => {
  const { packedCountries } = await import('./country-library.ts');
  return unpackCountryTable(packedCountries());
});

/** The ISO 3166 code of an address's country, such as `DE`. Null for private, loopback, reserved and unknown addresses. */
export const countryOfAddress = async (address: string | null): Promise<string | null> => {
  const plain = address?.replace(/^::ffff:(?=\d+\.)/i, '');
  if (plain === undefined || !isPublic(plain)) return null;
  return findCountry(await openTable(), plain);
};
