const countries = new Intl.DisplayNames('en', { type: 'region' });

/** `DE-BE` → `Germany (BE)` */
export const regionName = (location: string | null): string | undefined => {
  const [country, region] = location?.split('-') ?? [];
  return country && `${countryName(country)}${region ? ` (${region})` : ''}`;
};

/** The code itself if it has not the form of a country's, for which `Intl` throws. */
const countryName = (country: string): string => {
  try {
    return countries.of(country) ?? country;
  } catch {
    return country;
  }
};
