"""One store on several PostgreSQL servers: hash partitions by session behind one entry (docs/sharding.md)."""
