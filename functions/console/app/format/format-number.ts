import { formatBytes as contractBytes } from '../../../../shared/contract/format-bytes.ts';

const count = new Intl.NumberFormat(undefined);
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
const money = new Intl.NumberFormat(undefined, { style: 'currency', currency: 'USD', maximumFractionDigits: 2 });

/** 1234567 → 1,234,567 */
export const formatCount = (value: number): string => count.format(value);

/** 1234567 → 1.2M */
export const formatCompact = (value: number): string => compact.format(value);

const isBelowCent = (usd: number): boolean => usd > 0 && usd < 0.01;

/** 12.345 → US$12.35, 0.001 → less than US$0.01; the currency as in the person's language. */
export const formatUsd = (usd: number): string => (isBelowCent(usd) ? `less than ${money.format(0.01)}` : money.format(usd));

const unitMoney = new Intl.NumberFormat(undefined, { style: 'currency', currency: 'USD', maximumFractionDigits: 6 });

/** A price of one unit, with all its digits: 0.023 → US$0.023 */
export const formatUnitUsd = (usd: number): string => unitMoney.format(usd);

/** 12.345 → about US$12.35, 0.001 → less than US$0.01 */
export const formatAboutUsd = (usd: number): string => `${isBelowCent(usd) ? '' : 'about '}${formatUsd(usd)}`;

/** `1 document`, `2 documents` */
export const formatPlural = (value: number, one: string, many = `${one}s`): string =>
  `${formatCount(value)} ${value === 1 ? one : many}`;

const decimal = new Intl.NumberFormat(undefined, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** 1500 → 1.5 KB, in the digits of the person's language. */
export const formatBytes = (bytes: number): string =>
  contractBytes(bytes, { whole: formatCount, decimal: (value) => decimal.format(value) });

const shortDecimal = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

/** 1500 → 1.5 KB, 1000 → 1 KB: the numbers beside an axis. */
export const formatCompactBytes = (bytes: number): string =>
  contractBytes(bytes, { whole: formatCount, decimal: (value) => shortDecimal.format(value) });

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

/** A share from 0 to 1. */
export const formatPercent = (share: number): string => percent.format(share);
