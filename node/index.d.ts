/**
 * hjall for Node: an embedded database with HBase's data model, and a client for hjall and HBase with the same
 * interface. Guides to the data model and row keys: https://github.com/hjall/hjall/tree/main/docs
 */
/// <reference types="node" />
export * from './types/codec';
export * from './types/column';
export * from './types/database';
export * from './types/diagnostics';
export * from './types/error';
export * from './types/filter';
export * from './types/open';
export * from './types/read';
export * from './types/reading';
export * from './types/row';
export * from './types/schema';
export * from './types/statistics';
export * from './types/table';
export * from './types/write';
