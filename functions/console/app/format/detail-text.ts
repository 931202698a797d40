/** A recorded detail as plain text: `{"type":"user","email":"ada@example.com"}` becomes `type user, email ada@example.com`. */
export const detailText = (value: unknown): string => {
  if (Array.isArray(value)) return value.map((item) => grouped(item)).join(', ');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .filter(([, below]) => below !== null && below !== undefined)
    .map(([name, below]) => `${name} ${grouped(below)}`)
    .join(', ');
};

const grouped = (value: unknown): string => {
  const text = detailText(value);
  return typeof value === 'object' && value !== null && text.includes(', ') ? `(${text})` : text;
};
