const countries = new Intl.DisplayNames('en', { type: 'region' });

/** `DE, Berlin` → `Germany (Berlin)`. Older ones have the form `DE-BE`. */
export const regionName = (location: string | null): string | undefined => {
  const [, country, place] = /^([^,-]+)(?:-|, )?(.*)$/.exec(location ?? '') ?? [];
  return country && `${countryName(country)}${place ? ` (${place})` : ''}`;
};

/** The code itself if it has not the form of a country's, for which `Intl` throws. */
const countryName = (country: string): string => {
  try {
    return countries.of(country) ?? country;
  } catch {
    return country;
  }
};
