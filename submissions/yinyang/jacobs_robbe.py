class YinYang:
    # robbe jacobs, groep 3

    def __init__(self,dimensie,wit,zwart):
        self.dim=dimensie
        self.wit=list(wit)
        self.zwart=list(zwart)
        self.beginwit=list(wit)
        self.beginzwart=list(zwart)
        for x in wit:
            if x in zwart:
                raise AssertionError('ongeldige puzzel')
        for x in self.wit+self.zwart:
            if x[0]<0 or x[1]<0 or x[0]>dimensie or x[1]>dimensie:
                raise AssertionError('ongeldige puzzel')

    def maak_wit(self,p):
        if p[0]<0 or p[1]<0 or p[0]>=self.dim or p[1]>=self.dim or p in self.wit or p in self.zwart:
            raise AssertionError('ongeldige actie')
        self.wit.append(p)
        return self

    def maak_zwart(self,p):
        if p[0]<0 or p[1]<0 or p[0]>=self.dim or p[1]>=self.dim or p in self.wit or p in self.zwart:
            raise AssertionError('ongeldige actie')
        self.zwart.append(p)
        return self

    def maak_leeg(self,p):
        if p in self.beginwit or p in self.beginzwart:
            raise AssertionError('ongeldige actie')
        if p in self.wit:
            self.wit.remove(p)
        elif p in self.zwart:
            self.zwart.remove(p)
        else:
            raise AssertionError('ongeldige actie')
        return self

    def aaneengesloten_gebied(self,p):
        # flood fill snap ik niet
        pass

    def isopgelost(self):
        # nog doen
        pass

    def __str__(self):
        s=''
        for i in range(self.dim):
            for j in range(self.dim):
                if (i,j) in self.beginwit:
                    s+='W'
                elif (i,j) in self.beginzwart:
                    s+='B'
                elif (i,j) in self.wit:
                    s+='w'
                elif (i,j) in self.zwart:
                    s+='b'
                else:
                    s+='-'
            s+='\n'
        return s[:-1]
