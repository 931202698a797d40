/** The mark of the console: layers that are kept. */
export const Logo = ({ size = 26 }: { readonly size?: number }) => (
  <svg width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" className="logo">
    <rect width="24" height="24" rx="6" fill="currentColor" />
    <path
      d="M6.5 8.2 12 5.5l5.5 2.7L12 10.9zM6.5 12 12 14.7 17.5 12M6.5 15.6 12 18.3l5.5-2.7"
      className="logo__lines"
      fill="none"
      strokeWidth="1.6"
      strokeLinejoin="round"
      strokeLinecap="round"
    />
  </svg>
);
