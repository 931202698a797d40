/** Values of `datetime-local` fields, which have no zone: they are in the person's one. */
const two = (value: number): string => String(value).padStart(2, '0');

/** Without seconds on a full minute, as browsers write it: React takes another spelling for a change by the person. */
export const toLocalInput = (at: string | number): string => {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return '';
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const seconds = date.getSeconds() === 0 ? '' : `:${two(date.getSeconds())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}${seconds}`;
};

/** ISO 8601 in UTC. */
export const fromLocalInput = (value: string): string => new Date(value).toISOString();
