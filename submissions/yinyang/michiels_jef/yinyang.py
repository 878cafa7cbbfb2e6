# YIN YANG
# ik gebruik complexe getallen voor de posities: rij + kolom*1j

STAPPEN = (1, -1, 1j, -1j)


class YinYang:
	def __init__(self, dimensie, wit, zwart):
		self.dim = dimensie
		self.kleur = {complex(r, k): None for r in range(dimensie) for k in range(dimensie)}
		self.opgave = set()
		for kleur, posities in ((True, wit), (False, zwart)):  # True = wit, False = zwart
			for p in posities:
				z = complex(*p)
				if not self.mag(z, kleur):
					raise AssertionError("ongeldige puzzel")
				self.kleur[z] = kleur
				self.opgave.add(z)

	def mag(self, z, kleur):
		if z not in self.kleur or self.kleur[z] is not None:
			return False
		for s in STAPPEN:
			# s*1j is een kwartslag verder
			if all(self.kleur.get(z + t) is kleur for t in (s, s * 1j, s + s * 1j)):
				return False
		return True

	def kleur_vakje(self, p, kleur):
		z = complex(*p)
		if not self.mag(z, kleur):
			raise AssertionError("ongeldige actie")
		self.kleur[z] = kleur
		return self

	def maak_wit(self, p):
		return self.kleur_vakje(p, True)

	def maak_zwart(self, p):
		return self.kleur_vakje(p, False)

	def maak_leeg(self, p):
		z = complex(*p)
		if self.kleur.get(z) is None or z in self.opgave:
			raise AssertionError("ongeldige actie")
		self.kleur[z] = None
		return self

	def flood(self, z):
		if self.kleur.get(z) is None:
			return set()
		gezien = {z}
		stapel = [z]
		while stapel:
			z = stapel.pop()
			for s in STAPPEN:
				if z + s not in gezien and self.kleur.get(z + s) is self.kleur[z]:
					gezien.add(z + s)
					stapel.append(z + s)
		return gezien

	def aaneengesloten_gebied(self, p):
		return {(int(z.real), int(z.imag)) for z in self.flood(complex(*p))}

	def isopgelost(self):
		if None in self.kleur.values():
			return False
		for kleur in (True, False):
			vakjes = [z for z in self.kleur if self.kleur[z] is kleur]
			if vakjes and len(self.flood(vakjes[0])) != len(vakjes):
				return False
		return True

	def __str__(self):
		s = ""
		for z, kleur in self.kleur.items():
			if z.imag == 0 and s:
				s += "\n"
			letter = {None: "-", True: "w", False: "b"}[kleur]
			s += letter.upper() if z in self.opgave else letter
		return s
