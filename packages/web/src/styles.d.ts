/** Style sheets imported by modules. */
declare module '*.css';
