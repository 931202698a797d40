import { isDeepStrictEqual as equal } from 'node:util';
import { intrinsicOf, isObject, type Json, type Template } from './template-json.ts';

/** One template with the parameters of all: each choice changes other parts of the same base. */
export const combineChoices = (base: Template, choices: readonly Template[]): Template =>
  combine(
    base as unknown as Json,
    choices.map((choice) => choice as unknown as Json),
    '',
  ) as unknown as Template;

const combine = (base: Json | undefined, variants: readonly (Json | undefined)[], path: string): Json | undefined => {
  const changed = variants.filter((variant) => !equal(variant, base));
  const [first, ...more] = changed;
  if (changed.length === 0) return base;
  if (more.every((other) => equal(other, first))) return first;
  const all = [...(base === undefined ? [] : [base]), ...changed];
  if (all.every((value) => isObject(value) && (!intrinsicOf(value) || 'Fn::Join' in value))) {
    const keys = new Set(all.flatMap((value) => Object.keys(value as object)));
    const pairs = [...keys].map((key) => {
      const of = (value: Json | undefined) => (isObject(value) ? value[key] : undefined);
      return [key, combine(of(base), changed.map(of), `${path}/${key}`)] as const;
    });
    return Object.fromEntries(pairs.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
  }
  if (Array.isArray(base) && changed.every((value) => Array.isArray(value) && value.length === base.length))
    return base.map(
      (element, n) =>
        combine(
          element,
          changed.map((value) => (value as Json[])[n]),
          `${path}/${n}`,
        ) ?? null,
    );
  if (Array.isArray(base) && changed.every((value) => Array.isArray(value))) {
    const slots = changed.map((value) => slotsOf(base, value as Json[], path));
    return Array.from({ length: base.length + 1 }, (_, n) => {
      const added = slots.flatMap((each) => each[n]?.before ?? []);
      const own =
        base[n] === undefined
          ? []
          : [
              combine(
                base[n],
                slots.map((each) => each[n]?.element),
                `${path}/${n}`,
              ) ?? null,
            ];
      return [...added, ...own];
    }).flat();
  }
  throw new Error(`two settings of the template change ${path}`);
};

interface Slot {
  readonly before: Json[];
  element?: Json;
}

/** The elements of a changed list beside those of the base that they are, or decide about; the others are added before them. */
const slotsOf = (base: readonly Json[], changed: readonly Json[], path: string): readonly Slot[] => {
  const slots: Slot[] = [{ before: [] }];
  for (const element of changed) {
    const slot = slots.at(-1) as Slot;
    const own = base[slots.length - 1];
    if (own !== undefined && (equal(element, own) || decidesAbout(element, own))) {
      slot.element = element;
      slots.push({ before: [] });
    } else slot.before.push(element);
  }
  if (slots.length !== base.length + 1) throw new Error(`a setting of the template reorders ${path}`);
  return slots;
};

const decidesAbout = (element: Json, own: Json): boolean => {
  const branches = isObject(element) ? element['Fn::If'] : undefined;
  return Array.isArray(branches) && branches.slice(1).some((branch) => equal(branch, own) || decidesAbout(branch, own));
};
