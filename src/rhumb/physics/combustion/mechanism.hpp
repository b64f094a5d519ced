#pragma once
/// A gas and its reactions as plain data, in SI units with the mole (m, s, mol, J, K). Read from a file by
/// read_mechanism; used by kinetics.hpp and transport.hpp.

#include <rhumb/physics/combustion/thermo.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rhumb::combustion {

/// Lennard-Jones parameters and what else the transport properties of a species stand on.
struct Molecule {
  enum class Shape : std::uint8_t { atom, linear, nonlinear };
  Shape shape = Shape::atom;
  double well_depth = 0.0;            ///< epsilon / k_B, K
  double diameter = 0.0;              ///< m
  double dipole = 0.0;                ///< C m
  double polarizability = 0.0;        ///< m^3
  double rotational_relaxation = 0.0; ///< at 298 K
};

struct Species {
  std::string name;
  double weight = 0.0; ///< kg/mol
  std::map<std::string, double> composition;
  Nasa7 thermo;
  std::optional<Molecule> transport;
};

/// k = A T^b e^(-Ea/RT).
struct Arrhenius {
  double A = 0.0; ///< mol, m, s; its dimension follows the order of the reaction
  double b = 0.0;
  double activation_temperature = 0.0; ///< Ea/R, K
};

/// Troe's broadening: F_cent = (1 - a) e^(-T/T3) + a e^(-T/T1) + e^(-T2/T).
struct Troe {
  double a = 0.0, T3 = 0.0, T1 = 0.0;
  std::optional<double> T2;
};

/// Rates that hold at one pressure; k is their sum.
struct RatesAtPressure {
  double log_pressure = 0.0; ///< of Pa
  std::vector<Arrhenius> rates;
};

/// log10 k as a polynomial of Chebyshev's in 1/T and log p.
struct Chebyshev {
  double lowest_temperature = 0.0, highest_temperature = 0.0; ///< K
  double lowest_pressure = 0.0, highest_pressure = 0.0;       ///< Pa
  std::vector<std::vector<double>> coefficients;              ///< [temperature][pressure], for k in mol, m, s
};

/// A species and how often it stands on one side of a reaction.
struct Term {
  std::size_t species = 0;
  int count = 1;
};

/// How many moles of a species a reaction makes, less those that it takes.
struct Change {
  std::size_t species = 0;
  double moles = 0.0;
};
std::vector<Change> changes(const std::vector<Term>& reactants, const std::vector<Term>& products);

struct Reaction {
  enum class Kind : std::uint8_t {
    elementary,
    three_body,   ///< times sum eff_k C_k
    falloff,      ///< k = k_inf Pr / (1 + Pr) F, Pr = k_0 [M] / k_inf
    interpolated, ///< between Arrhenius rates at several pressures
    chebyshev,
  };
  Kind kind = Kind::elementary;
  std::string equation;
  bool reversible = true;
  std::vector<Term> reactants, products; ///< without the third body
  std::vector<Change> changes;           ///< what a mole of the reaction makes of each species
  Arrhenius rate; ///< of a falloff reaction: at high pressure; of one with a table: the table's factor, 1
  Arrhenius low_pressure;
  std::optional<Troe> troe;                        ///< none: Lindemann, F = 1
  std::vector<RatesAtPressure> rates_at_pressures; ///< the pressures ascend
  std::optional<Chebyshev> chebyshev;

  bool has_table() const { return kind == Kind::interpolated || kind == Kind::chebyshev; }
  double efficiency = 1.0; ///< of the third bodies that are not named
  std::vector<std::pair<std::size_t, double>> efficiencies;
};

struct Mechanism {
  std::string name;
  std::string file;
  std::vector<std::string> elements;
  std::vector<Species> species;
  std::vector<Reaction> reactions;

  std::size_t size() const { return species.size(); }
  /// The number of a species; none where there is no such species.
  std::optional<std::size_t> find(const std::string& name) const;
  /// Atoms of the element in a molecule of species k.
  double atoms(const std::string& element, std::size_t k) const;
  /// Where all polynomials hold, K.
  double lowest_temperature() const;
  double highest_temperature() const;
};

/// Reads a mechanism in Cantera's YAML. Throws core::BadInput with the file, the line and the reaction where it is not
/// one that can be used: unknown species, reactions that lose atoms, missing thermodynamics, texts for numbers.
Mechanism read_mechanism(const std::string& file);

/// Mass fractions from a text of mole numbers, "H2:2,O2:1,N2:3.76". Throws core::BadInput.
std::vector<double> read_mixture(const Mechanism& mechanism, const std::string& text);

} // namespace rhumb::combustion
