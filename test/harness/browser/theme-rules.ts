/**
 * The rules of axe-core that depend on colors. The two themes differ in colors only (test/functions/console/theme.test.ts), so the
 * other rules find the same in both.
 */
export const colorRules = ['color-contrast', 'link-in-text-block'] as const;
