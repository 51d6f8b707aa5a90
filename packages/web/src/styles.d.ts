/** Style sheets that a module brings along. */
declare module '*.css';
