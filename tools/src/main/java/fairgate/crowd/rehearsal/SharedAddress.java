package fairgate.crowd.rehearsal;

/// 300 honest people behind one NAT: a dormitory, an office, a carrier.
final class SharedAddress implements NamedCrowd {
  /// The address that the operator has to allow-list.
  static final String ADDRESS = "198.51.100.7";

  @Override
  public char letter() {
    return 'g';
  }

  @Override
  public String title() {
    return "300 honest people behind one NAT";
  }

  @Override
  public boolean honest() {
    return true;
  }

  @Override
  public int people() {
    return 300;
  }

  @Override
  public int addresses() {
    return 1;
  }

  @Override
  public String address(int person) {
    return ADDRESS;
  }

  @Override
  public VisitorProfile profile(int person) {
    return VisitorProfile.honest();
  }

  @Override
  public CrowdSale sale() {
    return CrowdSale.flash(400);
  }
}
