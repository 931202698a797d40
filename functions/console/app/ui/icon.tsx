/** Line icons on a grid of 24, drawn with the colour of the text around them. */
const paths = {
  alert:
    'M12 8.5v4.5M12 16.6v.1M10.4 4.3 2.9 17.5a1.85 1.85 0 0 0 1.6 2.8h15a1.85 1.85 0 0 0 1.6-2.8L13.6 4.3a1.85 1.85 0 0 0-3.2 0Z',
  archive: 'M3.5 4.5h17v4h-17zM5 8.5v11h14v-11M9.5 12.5h5',
  arrowRight: 'M5 12h14M13 6l6 6-6 6',
  bell: 'M6 9.5a6 6 0 0 1 12 0c0 6 2.5 7 2.5 7h-17s2.5-1 2.5-7ZM10 20a2.2 2.2 0 0 0 4 0',
  book: 'M4.5 5.5A2.5 2.5 0 0 1 7 3h12.5v15H7a2.5 2.5 0 0 0-2.5 2.5zm0 15A2.5 2.5 0 0 0 7 21h12.5',
  building:
    'M5 21V4.5A1.5 1.5 0 0 1 6.5 3h7A1.5 1.5 0 0 1 15 4.5V21M15 9.5h3.5A1.5 1.5 0 0 1 20 11v10M3 21h18M8.5 7.5h3M8.5 11.5h3M8.5 15.5h3',
  calendar: 'M4.5 5.5h15v15h-15zM4.5 10h15M8.5 3v4M15.5 3v4',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  checkCircle: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Zm-4-9 3 3 5-5.5',
  chevronDown: 'm6.5 9.5 5.5 5.5 5.5-5.5',
  chevronRight: 'm9.5 6.5 5.5 5.5-5.5 5.5',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Zm0-14v5l3.2 2',
  close: 'm6.5 6.5 11 11M17.5 6.5l-11 11',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  database:
    'M12 9.5c4.14 0 7.5-1.34 7.5-3s-3.36-3-7.5-3-7.5 1.34-7.5 3 3.36 3 7.5 3Zm7.5-3v11c0 1.66-3.36 3-7.5 3s-7.5-1.34-7.5-3v-11M19.5 12c0 1.66-3.36 3-7.5 3s-7.5-1.34-7.5-3',
  document: 'M6 3h8l4.5 4.5V21H6zM14 3v4.5h4.5M9 12.5h6M9 16.5h6',
  download: 'M12 4v11M7 10.5l5 5 5-5M4.5 20h15',
  external: 'M14 4h6v6M20 4l-9 9M18 14v5.5H4.5V6H10',
  folder: 'M3.5 6h6l2 2.5h9V19h-17z',
  home: 'm4 11 8-7 8 7v9h-5.5v-6h-5v6H4z',
  info: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Zm0-10v5.5M12 7.7v.1',
  key: 'M14.5 3.5a6 6 0 1 1-5.2 9L4 17.8V20.5h3.5v-2H9.5v-2h2l1.3-1.3a6 6 0 0 1 1.7-11.7ZM16.5 7.5h.01',
  list: 'M8.5 6.5h12M8.5 12h12M8.5 17.5h12M4 6.5h.1M4 12h.1M4 17.5h.1',
  lock: 'M5.5 11h13v9.5h-13zM8.5 11V7.5a3.5 3.5 0 0 1 7 0V11',
  menu: 'M4 6.5h16M4 12h16M4 17.5h16',
  minus: 'M5 12h14',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5Z',
  more: 'M12 4.4a1.6 1.6 0 1 0 0 3.2 1.6 1.6 0 0 0 0-3.2ZM12 10.4a1.6 1.6 0 1 0 0 3.2 1.6 1.6 0 0 0 0-3.2ZM12 16.4a1.6 1.6 0 1 0 0 3.2 1.6 1.6 0 0 0 0-3.2Z',
  pause: 'M8 5v14M16 5v14',
  play: 'M7 4.5v15l12-7.5z',
  plus: 'M12 5v14M5 12h14',
  refresh: 'M20 11a8 8 0 0 0-14.3-4.2L4 8.5M4 4v4.5h4.5M4 13a8 8 0 0 0 14.3 4.2l1.7-1.7M20 20v-4.5h-4.5',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14Zm5-2 4.5 4.5',
  shield: 'm12 3 7.5 3v5.5c0 4.5-3 7.8-7.5 9.5-4.5-1.7-7.5-5-7.5-9.5V6zm-3 9 2.2 2.2 4-4.4',
  signOut: 'M14 4H5v16h9M10 12h10.5M16.5 8l4 4-4 4',
  sun: 'M12 16.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6 19 19M5 19l1.4-1.4M17.6 6.4 19 5',
  trash: 'M4 6.5h16M9.5 6.5V4h5v2.5M6 6.5 7 20.5h10l1-14M10 10.5v6M14 10.5v6',
  undo: 'M8.5 5 4 9.5 8.5 14M4 9.5h10a5.5 5.5 0 0 1 0 11h-4',
  users:
    'M9 11.5a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-6.5 9v-1a5 5 0 0 1 5-5h3a5 5 0 0 1 5 5v1M16 3.8a4 4 0 0 1 0 7.4M18.5 14.8a5 5 0 0 1 3 4.7v1',
  webhook: 'M9 9.5a4 4 0 1 1 6.3 1L18 15.5M7.5 12a4 4 0 1 0 3.4 5.5H17M18.5 15a3 3 0 1 1-2 5',
} as const;

export type IconName = keyof typeof paths;

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
    <path d={paths[name]} {...(name === 'more' && { fill: 'currentColor', stroke: 'none' })} />
  </svg>
);
