import { type IconName, iconPaths } from './icon-paths.ts';

export type { IconName } from './icon-paths.ts';

interface IconProps {
  readonly name: IconName;
  readonly size?: number;
}

export const Icon = ({ name, size = 16 }: IconProps) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth={size > 20 ? 1.5 : 1.75}
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
  >
    {/* Dots, which a line would draw too small. */}
    <path d={iconPaths[name]} {...(name === 'more' && { fill: 'currentColor', stroke: 'none' })} />
  </svg>
);
