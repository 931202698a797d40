import type { Licensed } from '../../licences/bundled.ts';
import { countryAttribution } from '../../licences/page.ts';

/** The licences of the packages in released files, with their texts, which most licences ask for in every copy. */
export const licencesText = (packages: readonly Licensed[]): string => {
  const byText = Map.groupBy(packages, ({ text, licence }) => text.trim() || `Licence: ${licence}`);
  const sections = [...byText].map(([text, users]) => {
    const names = users.map(({ name, version, licence }) => `${name} ${version} (${licence})`);
    return `${names.join('\n')}\n\n${text}\n`;
  });
  const hasCountries = packages.some(({ name }) => name.startsWith('@ip-location-db/'));
  const attribution = hasCountries ? [`${countryAttribution.join('\n')}\n`] : [];
  return [`Contains code of these ${packages.length} packages.\n`, ...attribution, ...sections].join(`\n${'-'.repeat(80)}\n\n`);
};
