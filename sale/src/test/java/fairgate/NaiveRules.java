package fairgate;

/// The rules a naive sale goes by.
///
/// @param presence whether the unseen are passed over
/// @param maxUser and `maxDevice`: 0 = no limit
record NaiveRules(
    int capacity,
    int slots,
    int maxQuantity,
    int maxUser,
    int maxDevice,
    boolean token,
    boolean pays,
    boolean presence) {}
