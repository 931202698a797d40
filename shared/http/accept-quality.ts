/**
 * The weight that an Accept or Accept-Encoding header gives to a value, from 0 to 1 (RFC 9110 section 12.4). The most specific range
 * counts: a type before its family before any. Without the header every value has weight 1.
 */
export const acceptQuality = (header: string | undefined, value: string): number => {
  if (header === undefined) return 1;
  const weights = new Map(header.toLowerCase().split(',').map(readRange));
  const wildcards = value.includes('/') ? [`${value.split('/')[0]}/*`, '*/*'] : ['*'];
  return [value, ...wildcards].map((range) => weights.get(range)).find((weight) => weight !== undefined) ?? 0;
};

const readRange = (text: string): [range: string, weight: number] => {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim());
  const weight = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1);
  return [range, weight >= 0 && weight <= 1 ? weight : 0];
};
