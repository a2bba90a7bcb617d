//! The store's versions: how each is made from the one before, and how a file is told to be one.

use rusqlite::{Connection, TransactionBehavior};

/// `fthm` in ASCII; at offset 68 of the file, where `file(1)` looks for it too.
pub(crate) const APPLICATION_ID: i32 = 0x6674_686D;

/// Migration `n` (from 0) turns version `n` into version `n + 1`. Entries are never changed once
/// released: the files of every version are out there.
pub(crate) const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_runs_and_campaigns.sql"),
    include_str!("migrations/0002_imports.sql"),
    include_str!("migrations/0003_campaign_devices.sql"),
    include_str!("migrations/0004_history.sql"),
];

/// What stands in the place of what a store of an earlier version lacks while it is only read: empty tables and views,
/// in memory. Each with the first version that has it itself.
const STAND_INS: &[(i64, &str)] = &[
    (2, include_str!("older/0002_imports.sql")),
    (3, include_str!("older/0003_campaign_devices.sql")),
    (4, include_str!("older/0004_history.sql")),
];

/// What a file says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) application_id: i32,
    pub(crate) version: i64,
}

pub(crate) fn identity(connection: &Connection) -> rusqlite::Result<Identity> {
    Ok(Identity {
        application_id: connection.pragma_query_value(None, "application_id", |row| row.get(0))?,
        version: connection.pragma_query_value(None, "user_version", |row| row.get(0))?,
    })
}

/// Brings a database up to the last of `migrations`, each in a transaction of its own, so that a
/// crash leaves one version or the next.
pub(crate) fn migrate(connection: &mut Connection, migrations: &[&str]) -> rusqlite::Result<()> {
    for (from, migration) in migrations.iter().enumerate() {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Read under the write lock: another process may have been faster.
        if identity(&transaction)?.version != from as i64 {
            continue;
        }
        transaction.execute_batch(migration)?;
        transaction.pragma_update(None, "user_version", from as i64 + 1)?;
        transaction.commit()?;
    }
    Ok(())
}

/// Lets a store of this version be read like one of the newest.
pub(crate) fn stand_in(connection: &Connection, version: i64) -> rusqlite::Result<()> {
    let lacking = || STAND_INS.iter().filter(|(first, _)| *first > version);
    if lacking().next().is_none() {
        return Ok(());
    }
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    lacking().try_for_each(|(_, sql)| connection.execute_batch(sql))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_migration_leaves_the_version_before_it() {
        let mut connection = Connection::open_in_memory().unwrap();
        let first = "CREATE TABLE a (x INTEGER) STRICT;";
        let broken = "CREATE TABLE b (x INTEGER) STRICT; INSERT INTO missing VALUES (1);";
        assert!(migrate(&mut connection, &[first, broken]).is_err());
        assert_eq!(identity(&connection).unwrap().version, 1);
        assert!(connection.table_exists(None, "a").unwrap());
        assert!(!connection.table_exists(None, "b").unwrap(), "half of a migration stayed");

        let mended = "CREATE TABLE b (x INTEGER) STRICT; INSERT INTO b SELECT x FROM a;";
        migrate(&mut connection, &[first, mended]).unwrap();
        assert_eq!(identity(&connection).unwrap().version, 2);
        migrate(&mut connection, &[first, mended]).expect("a store that is up to date stays as it is");
    }
}
