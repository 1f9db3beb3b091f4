package fairgate.crowd.rehearsal;

/// The control group of every run: people with a telephone and an address of their own. Alone in a
/// sale, they are the run without an attack.
final class HonestVisitors implements NamedCrowd {
  private final int people;
  private final CrowdSale sale;

  /// @param sale that of the attack
  HonestVisitors(int people, CrowdSale sale) {
    this.people = people;
    this.sale = sale;
  }

  @Override
  public char letter() {
    return '-';
  }

  @Override
  public String title() {
    return "honest visitors";
  }

  @Override
  public boolean honest() {
    return true;
  }

  @Override
  public int people() {
    return people;
  }

  @Override
  public String address(int person) {
    return "10." + person / 250 % 250 + "." + person % 250 + ".7";
  }

  @Override
  public VisitorProfile profile(int person) {
    return VisitorProfile.honest();
  }

  @Override
  public CrowdSale sale() {
    return sale;
  }
}
