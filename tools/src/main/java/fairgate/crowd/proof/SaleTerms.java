package fairgate.crowd.proof;

/// The properties of a sale that buyers know.
///
/// @param product its id
/// @param max units per purchase
/// @param pays whether a purchase requires payment
/// @param payMillis the time for paying
/// @param tickets whether buyers get tickets
public record SaleTerms(String product, int max, boolean pays, long payMillis, boolean tickets) {}
